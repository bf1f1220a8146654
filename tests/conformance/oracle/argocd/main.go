// Argo CD's own code as an oracle: each line is asked about one ApplicationSet or Application among files, and answered with the
// Applications, their clusters and the files that they deploy, or why they are refused.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	log "github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/argoproj/argo-cd/v3/applicationset/controllers/template"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/reposerver/repository"
	apppath "github.com/argoproj/argo-cd/v3/util/app/path"
	"github.com/argoproj/argo-cd/v3/util/git"
	utilio "github.com/argoproj/argo-cd/v3/util/io"

	"kubetaint/oracle/lines"
)

// An object in one of these files. Files below `secrets/` describe clusters.
type question struct {
	Files map[string]string `json:"files"`
	Top   string            `json:"top"`
}

type application struct {
	Name   string `json:"name"`
	Server string `json:"server"`
	// The folder that is deployed.
	Path string `json:"path"`
	// How the folder is read, and the files that hold its objects, unless a chart or a kustomization prints them.
	Type    string   `json:"type"`
	Files   []string `json:"files"`
	Refused string   `json:"refused,omitempty"`
}

type answer struct {
	Refused      string        `json:"refused,omitempty"`
	Applications []application `json:"applications"`
}

func main() {
	log.SetOutput(io.Discard)
	// Else each command that it runs is told.
	os.Setenv("ARGOCD_LOG_LEVEL", "error")
	if err := lines.Answer(os.Stdin, os.Stdout, ask); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func ask(asked *question) (any, error) {
	root, err := os.MkdirTemp("", "argocd-oracle")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	var secrets []corev1.Secret
	for path, text := range asked.Files {
		file := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return nil, err
		}
		if strings.HasPrefix(path, "secrets/") {
			var secret corev1.Secret
			if err := yaml.Unmarshal([]byte(text), &secret); err != nil {
				return nil, err
			}
			// The API server does this.
			secret.Data = map[string][]byte{}
			for key, value := range secret.StringData {
				secret.Data[key] = []byte(value)
			}
			secrets = append(secrets, secret)
		}
	}
	top := []byte(asked.Files[asked.Top])
	var head struct {
		Kind string `json:"kind"`
	}
	if err := yaml.Unmarshal(top, &head); err != nil {
		return nil, err
	}
	var made []v1alpha1.Application
	if head.Kind == "ApplicationSet" {
		made, err = generate(top, root, secrets)
	} else {
		var one v1alpha1.Application
		err = yaml.Unmarshal(top, &one)
		made = append(made, one)
	}
	if err != nil {
		return answer{Refused: err.Error(), Applications: []application{}}, nil
	}
	applications := []application{}
	for _, one := range made {
		if one.Spec.Source == nil {
			continue
		}
		told := deploy(&one, root)
		told.Name, told.Server = one.Spec.Destination.Name, one.Spec.Destination.Server
		applications = append(applications, told)
	}
	key := func(one application) string {
		text, _ := json.Marshal(one)
		return string(text)
	}
	sort.Slice(applications, func(a, b int) bool { return key(applications[a]) < key(applications[b]) })
	return answer{Applications: applications}, nil
}

func generate(text []byte, root string, secrets []corev1.Secret) ([]v1alpha1.Application, error) {
	var set v1alpha1.ApplicationSet
	if err := yaml.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	cluster := &cluster{secrets: secrets}
	objects := []runtime.Object{}
	for at := range secrets {
		objects = append(objects, &secrets[at])
	}
	all := generators.GetGenerators(context.Background(), cluster, fake.NewClientset(objects...), "", &repo{root: root}, nil, generators.SCMConfig{})
	made, _, err := template.GenerateApplications(log.NewEntry(log.StandardLogger()), set, all, &utils.Render{}, cluster)
	return made, err
}

func deploy(one *v1alpha1.Application, root string) application {
	told := application{Files: []string{}}
	source := one.Spec.Source
	folder, err := apppath.Path(root, source.Path)
	if err != nil {
		told.Refused = strings.ReplaceAll(err.Error(), root, "")
		return told
	}
	if told.Path, err = filepath.Rel(root, folder); err != nil {
		told.Refused = err.Error()
		return told
	}
	kind, err := repository.GetAppSourceType(context.Background(), source, folder, root, "", nil, nil, nil)
	if err != nil {
		told.Refused = strings.ReplaceAll(err.Error(), root, "")
		return told
	}
	told.Type = string(kind)
	if kind != v1alpha1.ApplicationSourceTypeDirectory {
		return told
	}
	request := &apiclient.ManifestRequest{ApplicationSource: source, Repo: &v1alpha1.Repository{}}
	answered, err := repository.GenerateManifests(context.Background(), folder, root, "", request, true, nil,
		resource.Quantity{}, utilio.NewRandomizedTempPaths(os.TempDir()))
	if err != nil {
		told.Refused = strings.ReplaceAll(err.Error(), root, "")
		return told
	}
	for _, text := range answered.Manifests {
		var object struct {
			Data map[string]string `json:"data"`
		}
		if err := json.Unmarshal([]byte(text), &object); err == nil && object.Data["file"] != "" {
			told.Files = append(told.Files, object.Data["file"])
		}
	}
	sort.Strings(told.Files)
	return told
}

// The cluster in which Argo CD runs: it has Secrets, and every project.
type cluster struct {
	client.Client
	secrets []corev1.Secret
}

func (c *cluster) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return nil
}

func (c *cluster) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	asked := client.ListOptions{}
	asked.ApplyOptions(options)
	found := list.(*corev1.SecretList)
	for _, secret := range c.secrets {
		if asked.LabelSelector == nil || asked.LabelSelector.Matches(labels.Set(secret.Labels)) {
			found.Items = append(found.Items, secret)
		}
	}
	return nil
}

// A repository on the disk, as the repository server answers for it.
type repo struct {
	root   string
	client git.Client
}

func (r *repo) GetFiles(_ context.Context, _, _, _, pattern string, _, _ bool) (map[string][]byte, error) {
	if r.client == nil {
		for _, arguments := range [][]string{{"init", "-q", "--template="}, {"add", "-A"}} {
			command := exec.Command("git", arguments...)
			command.Dir = r.root
			if said, err := command.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("git %v: %w: %s", arguments, err, said)
			}
		}
		opened, err := git.NewClientExt("https://example.com/deploy.git", r.root, git.NopCreds{}, false, false, "", "")
		if err != nil {
			return nil, err
		}
		r.client = opened
	}
	if pattern == "" {
		pattern = "."
	}
	found, err := r.client.LsFiles(pattern, false)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, path := range found {
		text, err := os.ReadFile(filepath.Join(r.root, path))
		if err != nil {
			return nil, err
		}
		files[path] = text
	}
	return files, nil
}

// Every folder but hidden ones, as the repository server has it unless it is told otherwise.
func (r *repo) GetDirectories(context.Context, string, string, string, bool, bool) ([]string, error) {
	var folders []string
	err := filepath.WalkDir(r.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || path == r.root {
			return err
		}
		if strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		relative, err := filepath.Rel(r.root, path)
		folders = append(folders, filepath.ToSlash(relative))
		return err
	})
	return folders, err
}
