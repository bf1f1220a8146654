// The validation oracle answers cases with what the API server of one release objects to: one case as a JSON line on
// standard input, one list of objections as a JSON line on standard output, in the same order. It decides nothing
// itself: an object goes through that release's own defaults, conversion and validation.
//
// The same source is built once for each release, with the module file releases/<release>.mod. An argument such as
// TaintTolerationComparisonOperators=true sets feature gates; a release that does not know them ends with code 3.
package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/node"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	nodevalidation "k8s.io/kubernetes/pkg/apis/node/validation"
	"kubetaint/oracle/lines"
)

// One question. Which fields are set depends on the kind.
type question struct {
	Kind string `json:"kind"`
	// Of a match.
	Toleration v1.Toleration `json:"toleration"`
	Taint      v1.Taint      `json:"taint"`
	// Of a pod template, a RuntimeClass or a node.
	Annotations  map[string]string            `json:"annotations"`
	NodeSelector map[string]string            `json:"nodeSelector"`
	Required     *[]v1.NodeSelectorTerm       `json:"required"`
	Preferred    []v1.PreferredSchedulingTerm `json:"preferred"`
	NodeName     string                       `json:"nodeName"`
	Tolerations  []v1.Toleration              `json:"tolerations"`
	Taints       []v1.Taint                   `json:"taints"`
	// Of a manifest.
	Text string `json:"text"`
}

func main() {
	if len(os.Args) > 1 {
		if err := utilfeature.DefaultMutableFeatureGate.Set(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, "validation oracle:", err)
			os.Exit(3)
		}
	}
	comparisonOperators := len(os.Args) > 1
	err := lines.Answer(os.Stdin, os.Stdout, func(asked *question) (any, error) {
		return answer(asked, comparisonOperators)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "validation oracle:", err)
		os.Exit(1)
	}
}

func answer(asked *question, comparisonOperators bool) (any, error) {
	switch asked.Kind {
	case "match":
		return matches(asked, comparisonOperators), nil
	case "pod-template":
		return podTemplateErrors(asked)
	case "runtime-class":
		return runtimeClassErrors(asked)
	case "node":
		return nodeErrors(asked)
	case "manifest":
		return takeText(asked)
	default:
		return nil, fmt.Errorf("unknown kind %q", asked.Kind)
	}
}

// matches calls ToleratesTaint with what it takes in this release: the taint, and from 1.35 on a logger before it and
// the gate after it.
func matches(asked *question, comparisonOperators bool) bool {
	method := reflect.ValueOf(&asked.Toleration).MethodByName("ToleratesTaint")
	arguments := []reflect.Value{reflect.ValueOf(&asked.Taint)}
	if method.Type().NumIn() == 3 {
		arguments = []reflect.Value{reflect.ValueOf(logr.Discard()), arguments[0], reflect.ValueOf(comparisonOperators)}
	}
	return method.Call(arguments)[0].Bool()
}

func podTemplateErrors(asked *question) ([]string, error) {
	spec := v1.PodSpec{
		Containers:   []v1.Container{{Name: "c", Image: "i", TerminationMessagePolicy: v1.TerminationMessageReadFile}},
		NodeSelector: asked.NodeSelector,
		NodeName:     asked.NodeName,
		Tolerations:  asked.Tolerations,
	}
	if asked.Required != nil || asked.Preferred != nil {
		affinity := &v1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: asked.Preferred}
		if asked.Required != nil {
			affinity.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{NodeSelectorTerms: *asked.Required}
		}
		spec.Affinity = &v1.Affinity{NodeAffinity: affinity}
	}
	return templateErrors(&v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: asked.Annotations}, Spec: spec})
}

func templateErrors(template *v1.PodTemplateSpec) ([]string, error) {
	given := v1.PodTemplate{ObjectMeta: metav1.ObjectMeta{Name: "o", Namespace: "n"}, Template: *template}
	var taken core.PodTemplate
	if err := take(&given, &taken); err != nil {
		return nil, err
	}
	options := podutil.GetValidationOptionsFromPodTemplate(&taken.Template, nil)
	return described(validation.ValidatePodTemplateSpec(&taken.Template, nil, options)), nil
}

func runtimeClassErrors(asked *question) ([]string, error) {
	return classErrors(&nodev1.RuntimeClass{
		ObjectMeta: metav1.ObjectMeta{Name: "o"},
		Handler:    "h",
		Scheduling: &nodev1.Scheduling{NodeSelector: asked.NodeSelector, Tolerations: asked.Tolerations},
	})
}

func classErrors(given *nodev1.RuntimeClass) ([]string, error) {
	var taken node.RuntimeClass
	if err := take(given, &taken); err != nil {
		return nil, err
	}
	return described(nodevalidation.ValidateRuntimeClass(&taken)), nil
}

func nodeErrors(asked *question) ([]string, error) {
	return wholeNodeErrors(&v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "o", Annotations: asked.Annotations},
		Spec:       v1.NodeSpec{Taints: asked.Taints},
	})
}

func wholeNodeErrors(given *v1.Node) ([]string, error) {
	var taken core.Node
	if err := take(given, &taken); err != nil {
		return nil, err
	}
	return described(validation.ValidateNode(&taken)), nil
}

// take does with an object what the API server does before it validates.
func take(given, taken runtime.Object) error {
	legacyscheme.Scheme.Default(given)
	return legacyscheme.Scheme.Convert(given, taken, nil)
}

// shorter keeps the vectors small, and old releases' words like those of newer ones.
var shorter = strings.NewReplacer(
	"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution", "required",
	"spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution", "preferred",
	// Releases before 1.36 name this list twice.
	"scheduling.tolerations.tolerations", "scheduling.tolerations",
)

// described gives "field|type|detail" for each error.
func described(errors field.ErrorList) []string {
	texts := []string{}
	for _, one := range errors {
		texts = append(texts, lines.Objection(shorter.Replace(one.Field), one.Type.String(), one.Detail))
	}
	return texts
}
