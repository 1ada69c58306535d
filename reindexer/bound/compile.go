package bound

import (
	"reflect"

	"github.com/itchyny/gojq"
)

// textLimit is how long a text may be that a program makes by multiplication, in bytes: as long as
// a record. gojq makes one of 2 GiB in a single step.
const textLimit = 16 << 20

const (
	timesName  = "_times" // of a function, which no program can have by accident
	factorName = "$__factor"
)

// Compile compiles a program whose multiplications are bounded.
func Compile(query *gojq.Query, options ...gojq.CompilerOption) (*gojq.Code, error) {
	Walk(query, multiply)
	product, err := gojq.Parse("$left * $right")
	if err != nil {
		return nil, err
	}
	plain, err := gojq.Compile(product, gojq.WithVariables([]string{"$left", "$right"}))
	if err != nil {
		return nil, err
	}
	return gojq.Compile(query, append(options, gojq.WithFunction(timesName, 2, 2, func(_ any, factors []any) any {
		if repeated(factors[0], factors[1]) > textLimit || repeated(factors[1], factors[0]) > textLimit {
			return exceeded("makes a text of more than %d MiB", textLimit>>20)
		}
		result, _ := plain.Run(nil, factors...).Next() // always one
		return result
	}))...)
}

// repeated returns how long a text is that is repeated n times; 0 for others than these.
func repeated(text, n any) float64 {
	s, _ := text.(string)
	times, _ := gojq.ToFloat64(n)
	return float64(len(s)) * times
}

// multiply makes a multiplication a call of timesName.
func multiply(node any) bool {
	q, ok := node.(*gojq.Query)
	if !ok {
		return true
	}
	switch q.Op {
	case gojq.OpMul:
		q.Term, q.Left, q.Right, q.Op = Call(timesName, q.Left, q.Right).Term, nil, nil, 0
	case gojq.OpUpdateMul: // as gojq has it: right as $factor | left |= . * $factor
		product := Call(timesName, &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIdentity}}, Call(factorName))
		q.Left, q.Right = q.Right, &gojq.Query{Left: q.Left, Op: gojq.OpModify, Right: product}
		q.Op, q.Patterns = gojq.OpPipe, []*gojq.Pattern{{Name: factorName}}
	}
	return true
}

// Call returns a call of a function, or of a variable.
func Call(name string, args ...*gojq.Query) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name, Args: args}}}
}

// Walk visits a part of a program and the parts of it, as long as visit returns true.
func Walk(part any, visit func(part any) bool) { walk(reflect.ValueOf(part), visit) }

func walk(v reflect.Value, visit func(part any) bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && visit(v.Interface()) {
			walk(v.Elem(), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), visit)
		}
	}
}
