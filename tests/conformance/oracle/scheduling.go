package main

import (
	"context"
	"fmt"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	fwk "k8s.io/kube-scheduler/framework"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	daemon "k8s.io/kubernetes/pkg/controller/daemon/util"
	_ "k8s.io/kubernetes/pkg/controller/tainteviction"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
)

// Code that reads the gate itself reads it here; the scheduler's plugins are told when they are made.
func setComparisonOperators(on bool) error {
	gate := utilfeature.DefaultFeatureGate.(featuregate.MutableFeatureGate)
	if gate.Enabled(features.TaintTolerationComparisonOperators) == on {
		return nil
	}
	return gate.SetFromMap(map[string]bool{string(features.TaintTolerationComparisonOperators): on})
}

// The filters that labels, taints and names decide, in the order of the default plugins
// (pkg/scheduler/apis/config/v1/default_plugins.go), for each setting of the gate.
var filters = map[bool][]fwk.FilterPlugin{false: newFilters(false), true: newFilters(true)}

func newFilters(comparisonOperators bool) []fwk.FilterPlugin {
	with := feature.Features{EnableTaintTolerationComparisonOperators: comparisonOperators}
	var made []fwk.FilterPlugin
	add := func(plugin fwk.Plugin, err error) {
		if err != nil {
			panic(err)
		}
		made = append(made, plugin.(fwk.FilterPlugin))
	}
	ctx := context.Background()
	add(nodeunschedulable.New(ctx, nil, nil, with))
	add(nodename.New(ctx, nil, nil, with))
	add(tainttoleration.New(ctx, nil, nil, with))
	add(nodeaffinity.New(ctx, &config.NodeAffinityArgs{}, nil, with))
	return made
}

// place is, for each node, the message of the first filter that refuses it; empty where all let it pass.
func place(asked *question, comparisonOperators bool) (any, error) {
	if err := setComparisonOperators(comparisonOperators); err != nil {
		return nil, err
	}
	pod := &v1.Pod{Spec: asked.Pod.Spec}
	reasons := []string{}
	for at := range asked.Nodes {
		info := framework.NewNodeInfo()
		info.SetNode(&asked.Nodes[at])
		reason := ""
		for _, filter := range filters[comparisonOperators] {
			status := filter.Filter(context.Background(), framework.NewCycleState(), pod, info)
			if !status.IsSuccess() {
				reason = status.Message()
				break
			}
		}
		reasons = append(reasons, reason)
	}
	return reasons, nil
}

//go:linkname noExecuteTaints k8s.io/kubernetes/pkg/controller/tainteviction.getNoExecuteTaints
func noExecuteTaints(taints []v1.Taint) []v1.Taint

//go:linkname minTolerationTime k8s.io/kubernetes/pkg/controller/tainteviction.getMinTolerationTime
func minTolerationTime(tolerations []v1.Toleration) time.Duration

// evict is the number of nanoseconds after which the taint-eviction controller deletes the pod, -1 for never. The two
// choices are the controller's own functions; how they are put together is processPodOnNode, which acts and gives nothing
// back, and handleNodeUpdate, which leaves pods alone where no NoExecute taint is left.
func evict(asked *question, comparisonOperators bool) (any, error) {
	if err := setComparisonOperators(comparisonOperators); err != nil {
		return nil, err
	}
	taints := noExecuteTaints(asked.Taints)
	if len(taints) == 0 {
		return int64(-1), nil
	}
	allTolerated, used := v1helper.GetMatchingTolerations(logr.Discard(), taints, asked.Tolerations)
	if !allTolerated {
		return int64(0), nil
	}
	if after := minTolerationTime(used); after >= 0 {
		return int64(after), nil
	}
	return int64(-1), nil
}

func daemonSet(asked *question, _ bool) (any, error) {
	pod := v1.PodSpec{HostNetwork: asked.HostNetwork, Tolerations: asked.Tolerations}
	daemon.AddOrUpdateDaemonPodTolerations(&pod)
	if pod.Tolerations == nil {
		return nil, fmt.Errorf("no tolerations")
	}
	return pod.Tolerations, nil
}

// avoid is, for each node, how many taints make the scheduler prefer others: the score before it is turned round.
func avoid(asked *question, comparisonOperators bool) (any, error) {
	if err := setComparisonOperators(comparisonOperators); err != nil {
		return nil, err
	}
	with := feature.Features{EnableTaintTolerationComparisonOperators: comparisonOperators}
	ctx := context.Background()
	plugin, err := tainttoleration.New(ctx, nil, nil, with)
	if err != nil {
		return nil, err
	}
	pod := &v1.Pod{Spec: asked.Pod.Spec}
	state := framework.NewCycleState()
	if status := plugin.(fwk.PreScorePlugin).PreScore(ctx, state, pod, nil); !status.IsSuccess() {
		return nil, status.AsError()
	}
	counts := []int64{}
	for at := range asked.Nodes {
		info := framework.NewNodeInfo()
		info.SetNode(&asked.Nodes[at])
		count, status := plugin.(fwk.ScorePlugin).Score(ctx, state, pod, info)
		if !status.IsSuccess() {
			return nil, status.AsError()
		}
		counts = append(counts, count)
	}
	return counts, nil
}
