// Package lines is the form in which oracles are asked and answer.
package lines

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Answer reads one question from each line, as JSON, and writes what answer gives of it as a line, in the same order.
func Answer[Question any](in io.Reader, out io.Writer, answer func(*Question) (any, error)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	buffered := bufio.NewWriterSize(out, 1<<16)
	for number := 1; lines.Scan(); number++ {
		text, err := answerLine(lines.Bytes(), answer)
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		buffered.Write(append(text, '\n'))
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return buffered.Flush()
}

func answerLine[Question any](line []byte, answer func(*Question) (any, error)) ([]byte, error) {
	var asked Question
	if err := json.Unmarshal(line, &asked); err != nil {
		return nil, err
	}
	given, err := answer(&asked)
	if err != nil {
		return nil, err
	}
	return json.Marshal(given)
}

// An objection's detail is cut to this many bytes: enough to tell the checks apart.
const detailLimit = 42

// Objection is "field|type|detail".
func Objection(field, kind, detail string) string {
	if len(detail) > detailLimit {
		detail = strings.ToValidUTF8(detail[:detailLimit], "")
	}
	return fmt.Sprintf("%s|%s|%s", field, kind, detail)
}
