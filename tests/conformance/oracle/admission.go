package main

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/helper/qos"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration"
	"k8s.io/kubernetes/plugin/pkg/admission/podnodeselector"
	"k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction"
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"
)

const (
	namespaceName = "team"
	className     = "class"
)

// The plugins that touch tolerations and selectors, in the order of AllOrderedPlugins
// (pkg/kubeapiserver/options/plugins.go). Each is made by its own factory.
var ordered = []struct {
	name     string
	register func(*admission.Plugins)
}{
	{podnodeselector.PluginName, podnodeselector.Register},
	{defaulttolerationseconds.PluginName, defaulttolerationseconds.Register},
	{podtolerationrestriction.PluginName, podtolerationrestriction.Register},
	{extendedresourcetoleration.PluginName, extendedresourcetoleration.Register},
	{runtimeclass.PluginName, runtimeclass.Register},
}

// One API server's worth of plugins, made once; what they list is put into their caches for each question.
type server struct {
	plugins map[string]admission.Interface
	factory informers.SharedInformerFactory
}

var shared *server

func newServer() (*server, error) {
	client := fake.NewClientset()
	made := &server{
		plugins: map[string]admission.Interface{},
		factory: informers.NewSharedInformerFactory(client, 0),
	}
	stop := make(chan struct{})
	for _, one := range ordered {
		registry := admission.NewPlugins()
		one.register(registry)
		plugin, err := registry.InitPlugin(one.name, nil, initializer.New(
			client, nil, made.factory, nil, utilfeature.DefaultFeatureGate, nil, stop, nil))
		if err != nil {
			return nil, err
		}
		made.plugins[one.name] = plugin
	}
	made.factory.Start(stop)
	made.factory.WaitForCacheSync(stop)
	return made, nil
}

// admitted is what becomes of a pod.
type admitted struct {
	Refused      string            `json:"refused,omitempty"`
	Tolerations  []v1.Toleration   `json:"tolerations,omitempty"`
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
}

// defaulted is the pod as the API server decodes it: with defaults, as the internal type.
func defaulted(spec *v1.PodSpec) (*core.Pod, error) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: namespaceName}, Spec: *spec.DeepCopy()}
	corev1.SetObjectDefaults_Pod(pod)
	internal := &core.Pod{}
	return internal, corev1.Convert_v1_Pod_To_core_Pod(pod, internal, nil)
}

func admit(asked *question, _ bool) (any, error) {
	if shared == nil {
		made, err := newServer()
		if err != nil {
			return nil, err
		}
		shared = made
	}
	namespaces := shared.factory.Core().V1().Namespaces().Informer().GetStore()
	namespace := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaceName, Annotations: asked.Namespace}}
	if err := namespaces.Add(namespace); err != nil {
		return nil, err
	}
	classes := shared.factory.Node().V1().RuntimeClasses().Informer().GetStore()
	class := &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: className}, Handler: "h", Scheduling: asked.RuntimeClass}
	if err := classes.Add(class); err != nil {
		return nil, err
	}
	pod, err := defaulted(&asked.Pod.Spec)
	if err != nil {
		return nil, err
	}
	attributes := admission.NewAttributesRecord(pod, nil, core.Kind("Pod").WithVersion("version"), namespaceName, pod.Name,
		core.Resource("pods").WithVersion("version"), "", admission.Create, &metav1.CreateOptions{}, false, nil)
	asks := map[string]bool{}
	for _, name := range asked.Plugins {
		if _, known := shared.plugins[name]; !known {
			return nil, fmt.Errorf("unknown plugin %q", name)
		}
		asks[name] = true
	}
	for _, one := range ordered {
		plugin, mutates := shared.plugins[one.name].(admission.MutationInterface)
		if asks[one.name] && mutates && plugin.Handles(admission.Create) {
			if err := plugin.Admit(context.Background(), attributes, nil); err != nil {
				return admitted{Refused: one.name}, nil
			}
		}
	}
	for _, one := range ordered {
		plugin, validates := shared.plugins[one.name].(admission.ValidationInterface)
		if asks[one.name] && validates && plugin.Handles(admission.Create) {
			if err := plugin.Validate(context.Background(), attributes, nil); err != nil {
				return admitted{Refused: one.name}, nil
			}
		}
	}
	given := admitted{NodeSelector: pod.Spec.NodeSelector}
	for at := range pod.Spec.Tolerations {
		var toleration v1.Toleration
		if err := corev1.Convert_core_Toleration_To_v1_Toleration(&pod.Spec.Tolerations[at], &toleration, nil); err != nil {
			return nil, err
		}
		given.Tolerations = append(given.Tolerations, toleration)
	}
	return given, nil
}

// qosClass is the class that the pod is given when it is created.
func qosClass(asked *question, _ bool) (any, error) {
	pod, err := defaulted(&asked.Pod.Spec)
	if err != nil {
		return nil, err
	}
	return string(qos.ComputePodQOS(pod)), nil
}
