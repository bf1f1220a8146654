// HashiCorp's own HCL as an oracle: each line is asked about one text, and answered with what it holds or why it is refused.
package main

import (
	"fmt"
	"os"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kubetaint/oracle/lines"
)

// A text is a file, or a template as a whole.
type question struct {
	Text     string `json:"text"`
	Template bool   `json:"template,omitempty"`
}

// A text that HCL refuses has the reason, any other what is in it.
type answer struct {
	Refused string `json:"refused,omitempty"`
	Body    any    `json:"body,omitempty"`
}

func main() {
	if err := lines.Answer(os.Stdin, os.Stdout, read); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(asked *question) (any, error) {
	if asked.Template {
		template, problems := hclsyntax.ParseTemplate([]byte(asked.Text), "", hcl.InitialPos)
		if problems.HasErrors() {
			return answer{Refused: problems.Errs()[0].Error()}, nil
		}
		return answer{Body: valueOf(template)}, nil
	}
	file, problems := hclsyntax.ParseConfig([]byte(asked.Text), "", hcl.InitialPos)
	if problems.HasErrors() {
		for _, problem := range problems {
			if problem.Severity == hcl.DiagError {
				return answer{Refused: fmt.Sprintf("%d: %s", problem.Subject.Start.Line, problem.Summary)}, nil
			}
		}
	}
	return answer{Body: bodyOf(file.Body.(*hclsyntax.Body))}, nil
}

func bodyOf(body *hclsyntax.Body) any {
	attributes := map[string]any{}
	for name, attribute := range body.Attributes {
		attributes[name] = valueOf(attribute.Expr)
	}
	blocks := []any{}
	for _, block := range body.Blocks {
		labels := block.Labels
		if labels == nil {
			labels = []string{}
		}
		blocks = append(blocks, []any{block.Type, labels, bodyOf(block.Body)})
	}
	return map[string]any{"attributes": attributes, "blocks": blocks}
}

// What an expression comes to without variables and functions. One that needs them is open; of lists and objects that do,
// the other parts are told all the same.
func valueOf(expression hclsyntax.Expression) any {
	if !isOpen(expression) {
		value, problems := expression.Value(nil)
		if problems.HasErrors() {
			return map[string]any{"refused": problems.Errs()[0].Error()}
		}
		return constant(value)
	}
	switch own := expression.(type) {
	case *hclsyntax.ParenthesesExpr:
		return valueOf(own.Expression)
	case *hclsyntax.TupleConsExpr:
		items := []any{}
		for _, item := range own.Exprs {
			items = append(items, valueOf(item))
		}
		return items
	case *hclsyntax.ObjectConsExpr:
		fields := map[string]any{}
		for _, item := range own.Items {
			key, problems := item.KeyExpr.Value(nil)
			if problems.HasErrors() || isOpen(item.KeyExpr) || key.IsNull() || key.Type() != cty.String {
				return map[string]any{"open": true}
			}
			if _, twice := fields[key.AsString()]; twice {
				return map[string]any{"open": true}
			}
			fields[key.AsString()] = valueOf(item.ValueExpr)
		}
		return map[string]any{"fields": fields}
	}
	return map[string]any{"open": true}
}

func isOpen(expression hclsyntax.Expression) bool {
	open := len(expression.Variables()) > 0
	hclsyntax.VisitAll(expression, func(node hclsyntax.Node) hcl.Diagnostics {
		_, calls := node.(*hclsyntax.FunctionCallExpr)
		open = open || calls
		return nil
	})
	return open
}

func constant(value cty.Value) any {
	kind := value.Type()
	switch {
	case !value.IsKnown():
		return map[string]any{"open": true}
	case value.IsNull():
		return nil
	case kind == cty.String:
		return value.AsString()
	case kind == cty.Bool:
		return value.True()
	case kind == cty.Number:
		return map[string]any{"number": value.AsBigFloat().Text('f', -1)}
	case kind.IsTupleType() || kind.IsListType() || kind.IsSetType():
		items := []any{}
		for _, item := range value.AsValueSlice() {
			items = append(items, constant(item))
		}
		return items
	default:
		fields := map[string]any{}
		for key, item := range value.AsValueMap() {
			fields[key] = constant(item)
		}
		return map[string]any{"fields": fields}
	}
}
