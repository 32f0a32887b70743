"""The functions that expressions of Kubernetes have, with their types.

One line a function: its name, then its overloads; a dot before the first argument makes a method.
Capital letters stand for any type.
Source: cel-go 0.26 (stdlib, ext) and k8s.io/apiserver/pkg/cel/library, 1.36.
"""

from __future__ import annotations

from functools import lru_cache

from kubelint_gpu.kube.cel.types import Type
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import NamedTuple

_TIME, _SPAN = "google.protobuf.Timestamp", "google.protobuf.Duration"
_NUMBERS = ("int", "uint", "double")
_COMPARED = (
    ("bool", "bool"),
    *((one, other) for one in _NUMBERS for other in _NUMBERS),
    ("string", "string"),
    ("bytes", "bytes"),
    (_TIME, _TIME),
    (_SPAN, _SPAN),
)
_ORDERED = ("int", "uint", "double", "bool", _SPAN, _TIME, "string", "bytes")

_TEXT = f"""
_?_:_ | bool,A,A->A
_&&_ | bool,bool->bool
_||_ | bool,bool->bool
!_ | bool->bool
@not_strictly_false | bool->bool
_==_ | A,A->bool
_!=_ | A,A->bool
_+_ | bytes,bytes->bytes | double,double->double | {_SPAN},{_SPAN}->{_SPAN} | {_SPAN},{_TIME}->{_TIME}
_+_ | {_TIME},{_SPAN}->{_TIME} | int,int->int | list(A),list(A)->list(A) | string,string->string | uint,uint->uint
_-_ | double,double->double | {_SPAN},{_SPAN}->{_SPAN} | int,int->int | {_TIME},{_SPAN}->{_TIME}
_-_ | {_TIME},{_TIME}->{_SPAN} | uint,uint->uint
_*_ | double,double->double | int,int->int | uint,uint->uint
_/_ | double,double->double | int,int->int | uint,uint->uint
_%_ | int,int->int | uint,uint->uint
-_ | double->double | int->int
_[_] | list(A),int->A | map(A,B),A->B | optional_type(list(A)),int->optional_type(A)
_[_] | optional_type(map(A,B)),A->optional_type(B)
_[?_] | list(A),int->optional_type(A) | optional_type(list(A)),int->optional_type(A)
_[?_] | map(A,B),A->optional_type(B) | optional_type(map(A,B)),A->optional_type(B)
@in | A,list(A)->bool | A,map(A,B)->bool
size | bytes->int | .bytes->int | list(A)->int | .list(A)->int | map(A,B)->int | .map(A,B)->int | string->int
size | .string->int
type | A->type(A)
dyn | A->dyn
bool | bool->bool | string->bool
bytes | bytes->bytes | string->bytes
double | double->double | int->double | string->double | uint->double
duration | {_SPAN}->{_SPAN} | int->{_SPAN} | string->{_SPAN}
int | int->int | double->int | {_SPAN}->int | string->int | {_TIME}->int | uint->int
string | string->string | bool->string | bytes->string | double->string | {_SPAN}->string | int->string
string | {_TIME}->string | uint->string | net.IP->string | net.CIDR->string
timestamp | {_TIME}->{_TIME} | int->{_TIME} | string->{_TIME}
uint | uint->uint | double->uint | int->uint | string->uint
contains | .string,string->bool
endsWith | .string,string->bool
startsWith | .string,string->bool
matches | string,string->bool | .string,string->bool
getFullYear | .{_TIME}->int | .{_TIME},string->int
getMonth | .{_TIME}->int | .{_TIME},string->int
getDayOfYear | .{_TIME}->int | .{_TIME},string->int
getDayOfMonth | .{_TIME}->int | .{_TIME},string->int
getDate | .{_TIME}->int | .{_TIME},string->int
getDayOfWeek | .{_TIME}->int | .{_TIME},string->int
getHours | .{_TIME}->int | .{_TIME},string->int | .{_SPAN}->int
getMinutes | .{_TIME}->int | .{_TIME},string->int | .{_SPAN}->int
getSeconds | .{_TIME}->int | .{_TIME},string->int | .{_SPAN}->int
getMilliseconds | .{_TIME}->int | .{_TIME},string->int | .{_SPAN}->int
charAt | .string,int->string
indexOf | .string,string->int | .string,string,int->int | .list(A),A->int
lastIndexOf | .string,string->int | .string,string,int->int | .list(A),A->int
lowerAscii | .string->string
upperAscii | .string->string
replace | .string,string,string->string | .string,string,string,int->string
split | .string,string->list(string) | .string,string,int->list(string)
substring | .string,int->string | .string,int,int->string
trim | .string->string
format | .string,list(dyn)->string
strings.quote | string->string
join | .list(string)->string | .list(string),string->string
find | .string,string->string
findAll | .string,string->list(string) | .string,string,int->list(string)
sets.contains | list(A),list(A)->bool
sets.equivalent | list(A),list(A)->bool
sets.intersects | list(A),list(A)->bool
slice | .list(A),int,int->list(A)
flatten | .list(list(A))->list(A) | .list(dyn),int->list(dyn)
lists.range | int->list(int)
reverse | .list(A)->list(A)
distinct | .list(A)->list(A)
first | .list(A)->optional_type(A)
last | .list(A)->optional_type(A)
cel.@mapInsert | map(A,B),A,B->map(A,B) | map(A,B),map(A,B)->map(A,B)
optional.of | A->optional_type(A)
optional.ofNonZeroValue | A->optional_type(A)
optional.none | ->optional_type(A)
optional.unwrap | list(optional_type(A))->list(A)
unwrapOpt | .list(optional_type(A))->list(A)
value | .optional_type(A)->A
hasValue | .optional_type(A)->bool
or | .optional_type(A),optional_type(A)->optional_type(A)
orValue | .optional_type(A),A->A
quantity | string->kubernetes.Quantity
isQuantity | string->bool
sign | kubernetes.Quantity->int
isGreaterThan | .kubernetes.Quantity,kubernetes.Quantity->bool | .kubernetes.Semver,kubernetes.Semver->bool
isLessThan | .kubernetes.Quantity,kubernetes.Quantity->bool | .kubernetes.Semver,kubernetes.Semver->bool
compareTo | .kubernetes.Quantity,kubernetes.Quantity->int | .kubernetes.Semver,kubernetes.Semver->int
asApproximateFloat | .kubernetes.Quantity->double
asInteger | .kubernetes.Quantity->int
isInteger | .kubernetes.Quantity->bool
add | .kubernetes.Quantity,kubernetes.Quantity->kubernetes.Quantity | .kubernetes.Quantity,int->kubernetes.Quantity
sub | .kubernetes.Quantity,kubernetes.Quantity->kubernetes.Quantity | .kubernetes.Quantity,int->kubernetes.Quantity
semver | string->kubernetes.Semver | string,bool->kubernetes.Semver
isSemver | string->bool | string,bool->bool
major | .kubernetes.Semver->int
minor | .kubernetes.Semver->int
patch | .kubernetes.Semver->int
url | string->kubernetes.URL
isURL | string->bool
getScheme | .kubernetes.URL->string
getHost | .kubernetes.URL->string
getHostname | .kubernetes.URL->string
getPort | .kubernetes.URL->string
getEscapedPath | .kubernetes.URL->string
getQuery | .kubernetes.URL->map(string,list(string))
ip | string->net.IP | .net.CIDR->net.IP
isIP | string->bool
ip.isCanonical | string->bool
family | .net.IP->int
isUnspecified | .net.IP->bool
isLoopback | .net.IP->bool
isLinkLocalMulticast | .net.IP->bool
isLinkLocalUnicast | .net.IP->bool
isGlobalUnicast | .net.IP->bool
cidr | string->net.CIDR
isCIDR | string->bool
containsIP | .net.CIDR,string->bool | .net.CIDR,net.IP->bool
containsCIDR | .net.CIDR,string->bool | .net.CIDR,net.CIDR->bool
prefixLength | .net.CIDR->int
masked | .net.CIDR->net.CIDR
format.named | string->optional_type(kubernetes.NamedFormat)
validate | .kubernetes.NamedFormat,string->optional_type(list(string))
"""
_FORMATS = [
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "qualifiedName",
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
]
_SINCE = {34: ("slice", "flatten", "lists.range", "reverse", "distinct", "first", "last", "sort")}
"""The minor release with which functions came that are not in all releases with devices."""
_TOKEN = pattern(r"[A-Za-z][\w.]*|[(),]")


class Overload(NamedTuple):
    """One signature of a function."""

    method: bool
    arguments: tuple[Type, ...]
    result: Type


@lru_cache(maxsize=4)
def functions(library: int | None = None) -> dict[str, tuple[Overload, ...]]:
    """Every function by name, its overloads in the order in which they are tried.

    With `library` those that there were in the minor release of that number.
    """
    if library is not None:
        late = frozenset(name for since, names in _SINCE.items() if since > library for name in names)
        return {name: overloads for name, overloads in functions().items() if name not in late}
    found: dict[str, list[Overload]] = {}
    for line in _TEXT.strip().splitlines():
        name, *overloads = line.split(" | ")
        found.setdefault(name, []).extend(_overload(one) for one in overloads)
    for name in ("_<_", "_<=_", "_>_", "_>=_"):
        found[name] = [Overload(False, pair, "bool") for pair in _COMPARED]
    for one in _ORDERED:
        for name, result in (("isSorted", "bool"), ("min", one), ("max", one), ("sort", ("list", one))):
            found.setdefault(name, []).append(Overload(True, (("list", one),), result))
    for one in ("int", "uint", "double", _SPAN):
        found.setdefault("sum", []).append(Overload(True, (("list", one),), one))
    for one in _FORMATS:
        found[f"format.{one}"] = [Overload(False, (), "kubernetes.NamedFormat")]
    return {name: tuple(overloads) for name, overloads in found.items()}


def _overload(text: str) -> Overload:
    arguments, _, result = text.partition("->")
    method = arguments.startswith(".")
    return Overload(method, _types(arguments.removeprefix(".")), _types(result)[0])


def _types(text: str) -> tuple[Type, ...]:
    """The types of a list such as `list(A),int`."""
    stack: list[list[Type]] = [[]]
    names: list[str] = []
    pieces = _TOKEN.findall(text)
    for place, piece in enumerate(pieces):
        if piece == "(":
            stack.append([])
        elif piece == ")":
            inner = stack.pop()
            stack[-1].append((names.pop(), *inner))
        elif piece != ",":
            if place + 1 < len(pieces) and pieces[place + 1] == "(":
                names.append(piece)
            else:
                stack[-1].append(("param", piece) if len(piece) == 1 and piece.isupper() else piece)
    return tuple(stack[0])
