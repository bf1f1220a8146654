// Flux's own code as an oracle: each line is asked about one Kustomization among files, and answered with the files whose objects
// it applies; or about a text and variables, and answered with the text in which they are filled in.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	securejoin "github.com/cyphar/filepath-securejoin"
	"github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/yaml"

	"kubetaint/oracle/lines"
)

type question struct {
	// A Kustomization in one of these files.
	Files map[string]string `json:"files,omitempty"`
	Top   string            `json:"top,omitempty"`
	// Or a text, and the variables of a Kustomization.
	Text      *string           `json:"text,omitempty"`
	Variables map[string]string `json:"variables,omitempty"`
}

type answer struct {
	Refused string   `json:"refused,omitempty"`
	Files   []string `json:"files,omitempty"`
	Text    *string  `json:"text,omitempty"`
}

func main() {
	// Nothing is fetched: there is no git.
	os.Setenv("PATH", "")
	if err := lines.Answer(os.Stdin, os.Stdout, ask); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func ask(asked *question) (any, error) {
	if asked.Text != nil {
		return fill(*asked.Text, asked.Variables)
	}
	root, err := os.MkdirTemp("", "flux-oracle")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	for path, text := range asked.Files {
		file := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	object := map[string]any{}
	if err := yaml.Unmarshal([]byte(asked.Files[asked.Top]), &object); err != nil {
		return nil, err
	}
	found, err := apply(root, unstructured.Unstructured{Object: object})
	if err != nil {
		return answer{Refused: strings.ReplaceAll(err.Error(), root, "")}, nil
	}
	return answer{Files: found}, nil
}

// As the controller does it: the path, the kustomization, the build.
func apply(root string, object unstructured.Unstructured) ([]string, error) {
	path, _, err := unstructured.NestedString(object.Object, "spec", "path")
	if err != nil {
		return nil, err
	}
	folder, err := securejoin.SecureJoin(root, path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(folder); err != nil {
		return nil, err
	}
	if _, err := kustomize.NewGenerator(root, object).WriteFile(folder); err != nil {
		return nil, err
	}
	built, err := kustomize.SecureBuild(root, folder, false)
	if err != nil {
		return nil, err
	}
	found := []string{}
	for _, one := range built.Resources() {
		if file := one.GetDataMap()["file"]; file != "" {
			found = append(found, file)
		}
	}
	sort.Strings(found)
	return found, nil
}

func fill(text string, variables map[string]string) (any, error) {
	written, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "data": map[string]any{"text": text},
	})
	if err != nil {
		return nil, err
	}
	object, err := provider.NewDefaultDepProvider().GetResourceFactory().FromBytes(written)
	if err != nil {
		return nil, err
	}
	substitute := map[string]any{}
	for name, value := range variables {
		substitute[name] = value
	}
	kustomization := unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"postBuild": map[string]any{"substitute": substitute}},
	}}
	filled, err := kustomize.SubstituteVariables(context.Background(), nil, kustomization, object)
	if err != nil {
		return answer{Refused: err.Error()}, nil
	}
	value := filled.GetDataMap()["text"]
	return answer{Text: &value}, nil
}
