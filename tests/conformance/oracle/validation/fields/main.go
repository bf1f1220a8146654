// The fields oracle prints the fields of the types that kubetaint reads, as manifests of one release spell them.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
)

func main() {
	names := map[string][]string{}
	for _, one := range []any{
		v1.PodSpec{}, v1.Toleration{}, v1.Taint{}, v1.Affinity{}, v1.NodeAffinity{}, v1.NodeSelectorTerm{},
		v1.NodeSelectorRequirement{},
	} {
		of := reflect.TypeOf(one)
		list := []string{}
		for at := 0; at < of.NumField(); at++ {
			name, _, _ := strings.Cut(of.Field(at).Tag.Get("json"), ",")
			list = append(list, name)
		}
		sort.Strings(list)
		names[of.Name()] = list
	}
	if err := json.NewEncoder(os.Stdout).Encode(names); err != nil {
		panic(err)
	}
}
