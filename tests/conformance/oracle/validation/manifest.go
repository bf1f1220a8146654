// Manifests as texts: what an API server makes of one, from its bytes to its objections.
package main

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/yaml"
)

// What became of a text.
type taken struct {
	// Where it ended, if it was refused: "reading" as YAML, or "decoding" into the types.
	Refused string `json:"refused,omitempty"`
	Because string `json:"because,omitempty"`
	// The text as JSON.
	JSON json.RawMessage `json:"json,omitempty"`
	// What strict decoding complains of beside.
	Strict string `json:"strict,omitempty"`
	// What was decoded, before defaults.
	Pod        *podRead  `json:"pod,omitempty"`
	Node       *nodeRead `json:"node,omitempty"`
	Objections []string  `json:"objections,omitempty"`
}

// What scheduling reads of a pod.
type podRead struct {
	NodeSelector      map[string]string      `json:"nodeSelector,omitempty"`
	Tolerations       []v1.Toleration        `json:"tolerations,omitempty"`
	Required          *[]v1.NodeSelectorTerm `json:"required,omitempty"`
	Prefers           bool                   `json:"prefers,omitempty"`
	NodeName          string                 `json:"nodeName,omitempty"`
	PriorityClassName string                 `json:"priorityClassName,omitempty"`
	RuntimeClassName  string                 `json:"runtimeClassName,omitempty"`
	HostNetwork       bool                   `json:"hostNetwork,omitempty"`
}

// What scheduling reads of a node.
type nodeRead struct {
	Labels        map[string]string `json:"labels,omitempty"`
	Taints        []v1.Taint        `json:"taints,omitempty"`
	Unschedulable bool              `json:"unschedulable,omitempty"`
}

func takeText(asked *question) (any, error) {
	text := []byte(asked.Text)
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		return taken{Refused: "reading", Because: err.Error()}, nil
	}
	info, _ := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	decoded, _, err := info.Serializer.Decode(asJSON, nil, nil)
	if err != nil {
		return taken{Refused: "decoding", Because: err.Error(), JSON: asJSON}, nil
	}
	answer := taken{JSON: asJSON}
	if _, err := yaml.YAMLToJSONStrict(text); err != nil {
		answer.Strict = err.Error()
	} else if _, _, err := info.StrictSerializer.Decode(asJSON, nil, nil); err != nil {
		answer.Strict = err.Error()
	}
	switch given := decoded.(type) {
	case *v1.Pod:
		answer.Pod = readPod(&given.Spec)
		answer.Objections, err = templateErrors(&v1.PodTemplateSpec{ObjectMeta: given.ObjectMeta, Spec: given.Spec})
	case *v1.PodTemplate:
		answer.Pod = readPod(&given.Template.Spec)
		answer.Objections, err = templateErrors(&given.Template)
	case *nodev1.RuntimeClass:
		answer.Pod = &podRead{}
		if given.Scheduling != nil {
			answer.Pod.NodeSelector, answer.Pod.Tolerations = given.Scheduling.NodeSelector, given.Scheduling.Tolerations
		}
		answer.Objections, err = classErrors(given)
	case *v1.Node:
		answer.Node = &nodeRead{given.Labels, given.Spec.Taints, given.Spec.Unschedulable}
		answer.Objections, err = wholeNodeErrors(given)
	default:
		return nil, fmt.Errorf("nobody asks about a %T", decoded)
	}
	return answer, err
}

func readPod(spec *v1.PodSpec) *podRead {
	read := podRead{
		NodeSelector:      spec.NodeSelector,
		Tolerations:       spec.Tolerations,
		NodeName:          spec.NodeName,
		PriorityClassName: spec.PriorityClassName,
		HostNetwork:       spec.HostNetwork,
	}
	if spec.RuntimeClassName != nil {
		read.RuntimeClassName = *spec.RuntimeClassName
	}
	if spec.Affinity != nil && spec.Affinity.NodeAffinity != nil {
		affinity := spec.Affinity.NodeAffinity
		read.Prefers = affinity.PreferredDuringSchedulingIgnoredDuringExecution != nil
		if required := affinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
			read.Required = &required.NodeSelectorTerms
		}
	}
	return &read
}
