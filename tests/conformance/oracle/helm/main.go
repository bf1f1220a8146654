// Helm's own code as an oracle: each line is asked about one chart with some values, and answered with the fields for
// scheduling of the pods that its templates make.
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"path"
	"sort"
	"strings"
	"text/template/parse"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"

	"kubetaint/oracle/lines"
)

// The chart in a folder, with values.
type question struct {
	Chart  string         `json:"chart"`
	Values map[string]any `json:"values"`
}

// A chart that cannot be loaded has the reason, any other its templates.
type answer struct {
	Refused   string     `json:"refused,omitempty"`
	Templates []rendered `json:"templates"`
}

// A template that fails has the reason, any other the pods that it makes.
type rendered struct {
	Path    string `json:"path"`
	Refused string `json:"refused,omitempty"`
	Pods    []pod  `json:"pods"`
}

type pod struct {
	Kind   string         `json:"kind"`
	Name   string         `json:"name"`
	Place  string         `json:"place"`
	Fields map[string]any `json:"fields"`
}

var places = []string{"spec", "spec.template.spec", "spec.jobTemplate.spec.template.spec"}

var told = []string{"affinity", "nodeSelector", "tolerations"}

func main() {
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err := lines.Answer(os.Stdin, os.Stdout, render); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Templates that failed before, by the folder of the chart.
var failed = map[string]map[string]bool{}

func render(asked *question) (any, error) {
	all, values, err := load(asked)
	if err != nil {
		return answer{Refused: err.Error()}, nil
	}
	known := failed[asked.Chart]
	if known == nil {
		known = map[string]bool{}
		failed[asked.Chart] = known
	}
	names := templates(all, all.Name())
	alone := func(name string) bool { return known[name] }
	texts, err := renderSome(all, values, func(name string) bool { return !alone(name) })
	if err != nil {
		texts = map[string]string{}
		alone = func(string) bool { return true }
	}
	told := []rendered{}
	for _, name := range names {
		one := rendered{Path: strings.TrimPrefix(name, all.Name()+"/"), Pods: []pod{}}
		text, ok := texts[name], true
		if alone(name) {
			own, err := renderSome(all, values, func(other string) bool { return other == name })
			if err != nil {
				one.Refused, ok = err.Error(), false
				known[name] = true
			}
			text = own[name]
		}
		if ok {
			pods, err := read(text)
			if err != nil {
				one.Refused = err.Error()
			}
			one.Pods = pods
		}
		if one.Refused != "" || len(one.Pods) > 0 {
			told = append(told, one)
		}
	}
	return answer{Templates: told}, nil
}

// Loads a chart without the dependencies that are not there.
func load(asked *question) (*chart.Chart, common.Values, error) {
	all, err := loader.LoadDir(asked.Chart)
	if err != nil {
		return nil, nil, err
	}
	withoutMissing(all, asked.Chart)
	all.Schema = nil
	if err := chartutil.ProcessDependencies(all, asked.Values); err != nil {
		return nil, nil, err
	}
	options := common.ReleaseOptions{Name: "release", Namespace: "default", Revision: 1, IsInstall: true}
	values, err := util.ToRenderValuesWithSchemaValidation(all, asked.Values, options, common.DefaultCapabilities, true)
	return all, values, err
}

// Adds the dependencies that stand beside a chart, in a folder that it names or that has their name, and forgets the others.
func withoutMissing(all *chart.Chart, folder string) {
	there := map[string]bool{}
	for _, part := range all.Dependencies() {
		there[part.Name()] = true
		withoutMissing(part, path.Join(folder, "charts", part.Name()))
	}
	if all.Metadata == nil {
		return
	}
	kept := []*chart.Dependency{}
	for _, one := range all.Metadata.Dependencies {
		if one == nil {
			continue
		}
		if !there[one.Name] {
			beside := path.Join(path.Dir(folder), one.Name)
			if named, ok := strings.CutPrefix(one.Repository, "file://"); ok {
				beside = path.Join(folder, named)
			}
			if part, err := loader.LoadDir(beside); err == nil && part.Name() == one.Name {
				withoutMissing(part, beside)
				all.AddDependency(part)
				there[one.Name] = true
			}
		}
		if there[one.Name] {
			kept = append(kept, one)
		}
	}
	all.Metadata.Dependencies = kept
}

// The names of all templates that are rendered for their own sake, in order.
func templates(all *chart.Chart, name string) []string {
	names := []string{}
	if all.Metadata != nil && all.Metadata.Type == "library" {
		return names
	}
	for _, file := range all.Templates {
		base := path.Base(file.Name)
		if !strings.HasPrefix(base, "_") && base != "NOTES.txt" {
			names = append(names, path.Join(name, file.Name))
		}
	}
	for _, part := range all.Dependencies() {
		names = append(names, templates(part, path.Join(name, "charts", part.Name()))...)
	}
	sort.Strings(names)
	return names
}

// Renders the templates that are wanted. Of the others, only the templates that they define are left.
func renderSome(all *chart.Chart, values common.Values, wanted func(string) bool) (texts map[string]string, err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			err = fmt.Errorf("panic: %v", trouble)
		}
	}()
	restore := leave(all, all.Name(), wanted)
	defer restore()
	return engine.Render(all, values)
}

func leave(all *chart.Chart, name string, wanted func(string) bool) func() {
	before := all.Templates
	after := []*common.File{}
	for _, file := range before {
		own := path.Join(name, file.Name)
		base := path.Base(file.Name)
		if base == "NOTES.txt" || (!strings.HasPrefix(base, "_") && !wanted(own)) {
			file = &common.File{Name: file.Name, Data: defines(file)}
		}
		after = append(after, file)
	}
	all.Templates = after
	undo := []func(){}
	for _, part := range all.Dependencies() {
		undo = append(undo, leave(part, path.Join(name, "charts", part.Name()), wanted))
	}
	return func() {
		all.Templates = before
		for _, one := range undo {
			one()
		}
	}
}

// What templates define, by their name and text.
var stubs = map[string][]byte{}

// The templates that a template defines.
func defines(file *common.File) []byte {
	key := file.Name + "\x00" + string(file.Data)
	if known, ok := stubs[key]; ok {
		return known
	}
	text := strings.Builder{}
	if strings.Contains(string(file.Data), "define") {
		tree := parse.New(file.Name)
		tree.Mode = parse.SkipFuncCheck
		trees := map[string]*parse.Tree{}
		if _, err := tree.Parse(string(file.Data), "", "", trees); err == nil {
			names := []string{}
			for name := range trees {
				names = append(names, name)
			}
			sort.Strings(names)
			for _, name := range names {
				if name != file.Name {
					fmt.Fprintf(&text, "{{define %q}}%s{{end}}", name, trees[name].Root)
				}
			}
		}
	}
	stubs[key] = []byte(text.String())
	return stubs[key]
}

// The pods in the documents of a rendered template.
func read(text string) ([]pod, error) {
	pods := []pod{}
	var trouble error
	for _, document := range strings.Split("\n"+text, "\n---") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			trouble = errors.Join(trouble, err)
			continue
		}
		collect(object, &pods)
	}
	return pods, trouble
}

func collect(object map[string]any, pods *[]pod) {
	kind, _ := object["kind"].(string)
	if items, ok := object["items"].([]any); ok && kind == "List" {
		for _, item := range items {
			if inner, ok := item.(map[string]any); ok {
				collect(inner, pods)
			}
		}
	}
	metadata, _ := object["metadata"].(map[string]any)
	name := fmt.Sprint(metadata["name"])
	for _, place := range places {
		at := object
		for _, key := range strings.Split(place, ".") {
			at, _ = at[key].(map[string]any)
		}
		// A pod has containers, even if there are none.
		if _, ok := at["containers"]; !ok {
			continue
		}
		fields := map[string]any{}
		for _, field := range told {
			if value, ok := at[field]; ok {
				fields[field] = value
			}
		}
		*pods = append(*pods, pod{Kind: kind, Name: name, Place: place, Fields: fields})
	}
}
