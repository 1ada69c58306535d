package cache

import "reflect"

// SizeOf returns how many bytes v takes, with the texts and lists that it refers to. It follows no
// other references, but v may be one.
func SizeOf(v any) int {
	value := reflect.ValueOf(v)
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	return int(value.Type().Size()) + referred(value)
}

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
		element := v.Type().Elem()
		if v.Kind() == reflect.Slice {
			n = v.Cap() * int(element.Size())
		}
		switch element.Kind() {
		case reflect.String, reflect.Struct, reflect.Slice, reflect.Array: // no numbers
			for i := range v.Len() {
				n += referred(v.Index(i))
			}
		}
	}
	return n
}
