package serving

import "reflect"

// sizeOf returns how many bytes v takes, with the texts and lists that it refers to; responses have no other references of their own.
func sizeOf(v reflect.Value) int { return int(v.Type().Size()) + referred(v) }

// referred returns how many bytes v refers to.
func referred(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Struct:
		for i := range v.NumField() {
			n += referred(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		of := v.Type().Elem()
		if v.Kind() == reflect.Slice {
			n = v.Cap() * int(of.Size())
		}
		switch of.Kind() {
		case reflect.String, reflect.Struct, reflect.Slice, reflect.Array: // no numbers
			for i := range v.Len() {
				n += referred(v.Index(i))
			}
		}
	}
	return n
}
