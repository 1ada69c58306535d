package bound

import (
	"reflect"

	"github.com/itchyny/gojq"
)

// mostText is how long a text may be that a program makes by multiplication, in bytes: as long as a record. gojq makes one of 2 GiB in
// a single step, which no look at the memory comes before.
const mostText = 16 << 20

const (
	timesName  = "_times" // of a function, which no program can have by accident
	factorName = "$__factor"
)

// Compile compiles a program whose multiplications are bounded.
func Compile(query *gojq.Query, options ...gojq.CompilerOption) (*gojq.Code, error) {
	each(reflect.ValueOf(query), multiply)
	product, err := gojq.Parse("$left * $right")
	if err != nil {
		return nil, err
	}
	plain, err := gojq.Compile(product, gojq.WithVariables([]string{"$left", "$right"}))
	if err != nil {
		return nil, err
	}
	return gojq.Compile(query, append(options, gojq.WithFunction(timesName, 2, 2, func(_ any, factors []any) any {
		if repeated(factors[0], factors[1]) > mostText || repeated(factors[1], factors[0]) > mostText {
			return exceeded("makes a text of more than %d MiB", mostText>>20)
		}
		result, _ := plain.Run(nil, factors...).Next() // always one
		return result
	}))...)
}

// repeated returns how long a text is that is repeated n times; 0 where these are others than a text and a number.
func repeated(text, n any) float64 {
	s, _ := text.(string)
	times, _ := gojq.ToFloat64(n)
	return float64(len(s)) * times
}

// multiply makes a call of timesName of q, if that is a multiplication.
func multiply(q *gojq.Query) {
	call := func(left, right *gojq.Query) *gojq.Query {
		return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: timesName, Args: []*gojq.Query{left, right}}}}
	}
	switch q.Op {
	case gojq.OpMul:
		q.Term, q.Left, q.Right, q.Op = call(q.Left, q.Right).Term, nil, nil, 0
	case gojq.OpUpdateMul: // as gojq has it: right as $factor | left |= . * $factor
		factor := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: factorName}}}
		product := call(&gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIdentity}}, factor)
		q.Left, q.Right = q.Right, &gojq.Query{Left: q.Left, Op: gojq.OpModify, Right: product}
		q.Op, q.Patterns = gojq.OpPipe, []*gojq.Pattern{{Name: factorName}}
	}
}

// each calls do with each query within v, which is a part of a program, the inner ones first.
func each(v reflect.Value, do func(*gojq.Query)) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		each(v.Elem(), do)
		if q, ok := v.Interface().(*gojq.Query); ok {
			do(q)
		}
	case reflect.Slice:
		for i := range v.Len() {
			each(v.Index(i), do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			each(v.Field(i), do)
		}
	}
}
