// The oracle answers cases with Kubernetes' own published code: one case as a JSON line on standard input, one
// verdict as a JSON line on standard output, in the same order. It decides nothing itself.
//
// A verdict has one answer for each setting of the feature gate TaintTolerationComparisonOperators: "off", and "on"
// where that differs. Where an older release is asked too, its answer stands under its name.
package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/go-logr/logr"
	older "k8s.io/api-v0.29/core/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	scheduling "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	"kubetaint/oracle/lines"
)

// One question. Which fields are set depends on the kind.
type question struct {
	Kind        string          `json:"kind"`
	Toleration  v1.Toleration   `json:"toleration"`
	Tolerations []v1.Toleration `json:"tolerations"`
	Taint       v1.Taint        `json:"taint"`
	Taints      []v1.Taint      `json:"taints"`
	// The pod's side of a selection.
	NodeSelector map[string]string     `json:"nodeSelector"`
	Terms        []v1.NodeSelectorTerm `json:"terms"`
	// The node's side of a selection.
	Node   string            `json:"node"`
	Labels map[string]string `json:"labels"`
	// A pod of a DaemonSet.
	HostNetwork bool `json:"hostNetwork"`
	// A pod that is placed or admitted, and the nodes that it may be placed on.
	Pod   podQuestion `json:"pod"`
	Nodes []v1.Node   `json:"nodes"`
	// What admission goes by: the plugins that run, beside those that always do, and the objects that they read.
	Plugins      []string           `json:"plugins"`
	Namespace    map[string]string  `json:"namespace"`
	RuntimeClass *nodev1.Scheduling `json:"runtimeClass"`
}

// The part of a pod that a question is about.
type podQuestion struct {
	Spec v1.PodSpec `json:"spec"`
}

type verdict struct {
	Off any `json:"off"`
	On  any `json:"on,omitempty"`
	V29 any `json:"v1.29,omitempty"`
}

func main() {
	// What Kubernetes logs about odd tolerations is no verdict.
	klog.SetLogger(logr.Discard())
	if err := lines.Answer(os.Stdin, os.Stdout, answer); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

// The kinds of questions, each with what answers it under one setting of the feature gate.
var kinds = map[string]func(asked *question, comparisonOperators bool) (any, error){
	"match": func(asked *question, comparisonOperators bool) (any, error) {
		return asked.Toleration.ToleratesTaint(logr.Discard(), &asked.Taint, comparisonOperators), nil
	},
	"tolerate": func(asked *question, comparisonOperators bool) (any, error) {
		return firstUntolerated(asked, comparisonOperators), nil
	},
	"validate-toleration": func(asked *question, comparisonOperators bool) (any, error) {
		return tolerationErrors(&asked.Toleration, comparisonOperators), nil
	},
	"validate-taint": func(asked *question, _ bool) (any, error) { return taintErrors(&asked.Taint), nil },
	"select":         func(asked *question, _ bool) (any, error) { return selects(asked), nil },
	"daemon-set":     daemonSet,
	"place":          place,
	"avoid":          avoid,
	"evict":          evict,
	"admit":          admit,
	"qos":            qosClass,
}

func answer(asked *question) (any, error) {
	kind, known := kinds[asked.Kind]
	if !known {
		return nil, fmt.Errorf("unknown kind %q", asked.Kind)
	}
	var given verdict
	for _, setting := range []struct {
		comparisonOperators bool
		answer              *any
	}{{false, &given.Off}, {true, &given.On}} {
		answer, err := kind(asked, setting.comparisonOperators)
		if err != nil {
			return nil, err
		}
		*setting.answer = answer
	}
	if asked.Kind == "match" {
		given.V29 = matchInOlderRelease(&asked.Toleration, &asked.Taint)
	}
	if reflect.DeepEqual(given.Off, given.On) {
		given.On = nil
	}
	return given, nil
}

func matchInOlderRelease(toleration *v1.Toleration, taint *v1.Taint) bool {
	asked := older.Toleration{
		Key:      toleration.Key,
		Operator: older.TolerationOperator(toleration.Operator),
		Value:    toleration.Value,
		Effect:   older.TaintEffect(toleration.Effect),
	}
	return asked.ToleratesTaint(&older.Taint{
		Key:    taint.Key,
		Value:  taint.Value,
		Effect: older.TaintEffect(taint.Effect),
	})
}

// firstUntolerated is the index of the taint that the scheduler's filter names, or -1.
func firstUntolerated(asked *question, comparisonOperators bool) int {
	found, any := scheduling.FindMatchingUntoleratedTaint(
		logr.Discard(), asked.Taints, asked.Tolerations, helper.DoNotScheduleTaintsFilterFunc(), comparisonOperators)
	if any {
		// Equal taints are tolerated alike, so the first equal one is the one that was found.
		for at, taint := range asked.Taints {
			if taint == found {
				return at
			}
		}
	}
	return -1
}

func tolerationErrors(toleration *v1.Toleration, comparisonOperators bool) []string {
	path := field.NewPath("tolerations")
	return described(path, validation.ValidateTolerations(
		[]core.Toleration{{
			Key:               toleration.Key,
			Operator:          core.TolerationOperator(toleration.Operator),
			Value:             toleration.Value,
			Effect:            core.TaintEffect(toleration.Effect),
			TolerationSeconds: toleration.TolerationSeconds,
		}},
		path,
		validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: comparisonOperators},
	))
}

func taintErrors(taint *v1.Taint) []string {
	// ValidateNode blames taints below metadata.
	return described(field.NewPath("metadata", "taints"), validation.ValidateNode(&core.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "node"},
		Spec: core.NodeSpec{Taints: []core.Taint{{
			Key:    taint.Key,
			Value:  taint.Value,
			Effect: core.TaintEffect(taint.Effect),
		}}},
	}))
}

// described gives "field|type|detail" for each error; the field without the path of the only item of the list.
func described(list *field.Path, errors field.ErrorList) []string {
	texts := []string{}
	item := list.Index(0).String() + "."
	for _, one := range errors {
		texts = append(texts, lines.Objection(strings.TrimPrefix(one.Field, item), one.Type.String(), one.Detail))
	}
	return texts
}

func selects(asked *question) bool {
	pod := &v1.Pod{Spec: v1.PodSpec{NodeSelector: asked.NodeSelector}}
	if asked.Terms != nil {
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: asked.Terms},
		}}
	}
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: asked.Node, Labels: asked.Labels}}
	// An error means that a term could not be parsed and no other matched: the scheduler then refuses the node.
	matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return matches && err == nil
}
