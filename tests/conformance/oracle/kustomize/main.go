// Kustomize's own code as an oracle: each line is asked about one kustomization, and answered with the fields of its objects
// that scheduling reads, or why it is refused.
package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"kubetaint/oracle/lines"
)

// The kustomization in the folder Top, among these files, or among the files of a folder on the disk. From those, what
// kubetaint does not read is taken out first: generators, remote bases, charts and transformers.
type question struct {
	Files map[string]string `json:"files,omitempty"`
	Root  string            `json:"root,omitempty"`
	Top   string            `json:"top"`
}

type object struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Namespace  string         `json:"namespace"`
	Name       string         `json:"name"`
	Fields     map[string]any `json:"fields"`
}

// A kustomization that is refused has the reason, any other its objects.
type answer struct {
	Refused string   `json:"refused,omitempty"`
	Objects []object `json:"objects"`
}

// Fields that are told, wherever they are.
var told = map[string]bool{
	"affinity": true, "hostNetwork": true, "nodeName": true, "nodeSelector": true, "priorityClassName": true,
	"runtimeClassName": true, "schedulerName": true, "startupTaints": true, "taints": true, "tolerations": true,
	"topologySpreadConstraints": true,
}

// Fields of a kustomization that are taken out.
var unread = []string{
	"configMapGenerator", "configurations", "crds", "generators", "helmChartInflationGenerator", "helmCharts", "openapi",
	"secretGenerator", "transformers", "validators", "vars", "generatorOptions",
}

func main() {
	// Nothing is fetched: there is no git.
	os.Setenv("PATH", "")
	if err := lines.Answer(os.Stdin, os.Stdout, build); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var disks = map[string]filesys.FileSystem{}

func build(asked *question) (any, error) {
	var files filesys.FileSystem
	if asked.Root != "" {
		known, ok := disks[asked.Root]
		if !ok {
			var err error
			if known, err = load(asked.Root); err != nil {
				return nil, err
			}
			disks[asked.Root] = known
		}
		files = known
	} else {
		files = filesys.MakeFsInMemory()
		for path, text := range asked.Files {
			if err := files.WriteFile("/"+path, []byte(text)); err != nil {
				return nil, err
			}
		}
	}
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = types.LoadRestrictionsNone
	built, err := krusty.MakeKustomizer(options).Run(files, "/"+asked.Top)
	if err != nil {
		return answer{Refused: err.Error()}, nil
	}
	objects := []object{}
	for _, resource := range built.Resources() {
		text, err := resource.MarshalJSON()
		if err != nil {
			return answer{Refused: err.Error()}, nil
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, err
		}
		fields := map[string]any{}
		collect(value, "", fields)
		objects = append(objects, object{
			APIVersion: resource.GetApiVersion(), Kind: resource.GetKind(),
			Namespace: resource.GetNamespace(), Name: resource.GetName(), Fields: fields,
		})
	}
	return answer{Objects: objects}, nil
}

func collect(value any, path string, fields map[string]any) {
	switch own := value.(type) {
	case map[string]any:
		for key, inner := range own {
			at := path + "." + key
			if told[key] {
				fields[at] = inner
			} else {
				collect(inner, at, fields)
			}
		}
	case []any:
		for index, inner := range own {
			collect(inner, fmt.Sprintf("%s[%d]", path, index), fields)
		}
	}
}

func load(root string) (filesys.FileSystem, error) {
	files := filesys.MakeFsInMemory()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == ".git" {
			return filepath.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		name := entry.Name()
		switch filepath.Ext(name) {
		case ".yaml", ".yml", ".json":
		default:
			if name != "Kustomization" {
				return nil
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch name {
		case "kustomization.yaml", "kustomization.yml", "Kustomization":
			text = without(text)
		}
		// Names that a file system in memory refuses belong to no kustomization.
		_ = files.WriteFile("/"+filepath.ToSlash(relative), text)
		return nil
	})
	return files, err
}

// A kustomization without what is not read.
func without(text []byte) []byte {
	var content map[string]any
	if err := yaml.Unmarshal(text, &content); err != nil || content == nil {
		return text
	}
	for _, key := range unread {
		delete(content, key)
	}
	// A kustomization must not be empty.
	content["generatorOptions"] = map[string]any{"disableNameSuffixHash": true}
	// Their sources are mostly generated.
	if list, ok := content["replacements"].([]any); ok {
		kept := []any{}
		for _, entry := range list {
			fields, _ := entry.(map[string]any)
			source, _ := fields["source"].(map[string]any)
			if kind := source["kind"]; kind != "ConfigMap" && kind != "Secret" {
				kept = append(kept, entry)
			}
		}
		content["replacements"] = kept
	}
	for _, key := range []string{"resources", "bases"} {
		list, _ := content[key].([]any)
		kept := []any{}
		for _, entry := range list {
			word, _ := entry.(string)
			if !strings.Contains(word, "://") && !strings.HasPrefix(word, "git@") && !strings.HasPrefix(word, "github.com/") &&
				!strings.Contains(word, "?ref=") {
				kept = append(kept, entry)
			}
		}
		if list != nil {
			content[key] = kept
		}
	}
	written, err := yaml.Marshal(content)
	if err != nil {
		return text
	}
	return written
}
