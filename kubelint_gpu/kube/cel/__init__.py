"""The Common Expression Language as in Kubernetes: from a text to a checked program, from a program to a value.

Nothing here is imported before the first expression is compiled: cel-python, whose grammar parses the text, and RE2
take a tenth of a second to import.

Only the grammar of cel-python is used. Its evaluator has no bound (nested comprehensions run for hours and a list that
doubles takes all memory), no type checker, no optional fields, and compares values of different types with an error;
Kubernetes' own texts and costs are those of cel-go.
Source: cel-go 0.26 and the libraries of k8s.io/apiserver/pkg/cel, 1.36.
"""
