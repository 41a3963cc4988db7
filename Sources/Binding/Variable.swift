// Binding
