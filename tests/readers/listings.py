"""Small programs, one a file name, each with its tokens; in `MORE` without them."""

JAVA = """package a.b;

import java.util.*;
import static java.lang.Math.max;

/** A comment. */
public class A<T> extends B {
    private int x = 0x1F; // comment
    char c = 'c'; /* comment */ String s = "say \\"𝔘\\"";

    @Override
    boolean f(final List<String> y) { return y != null && this.x >>> 2 >= 1.5f ? true : !g(y); }
}
"""
PYTHON = """#!/usr/bin/env python
import os
from a import (b,
               c as d)

class A(B):
    \"\"\"A 'string'.\"\"\"

    def f(self, x: int = 0o7, *rest) -> "str":  # comment
        return f"{x!r}é" + 'q' if x is not None else [True, 1e5j, not self.y]
"""
C = """#include <stdio.h>
#include "a.h"
#define TWICE(x) ((x) + (x))
/* comment
   comment */
static unsigned int f(const char *p, struct s *q) {
    if (p[0] == '\\n') goto out; // comment
    return sizeof(int) + TWICE(q->n) + 10UL;
out:
    return printf("%s 𝔘" "b", p), NULL;
}
"""
KOTLIN = """package a.b
import kotlin.math.max

/* comment */
fun f(x: Int): String { // comment
    val c = 'c'
    return if (x > 1.5) "a" else g(x, c)
}
"""

# The tokens of each, apart by spaces; _ is a space in a token.
TOKENS = {
    "A.java": """
        public class A < T > extends B { private int x = 0x1F ; char c = 'c' ; String s = "say_\\"𝔘\\"" ; @ Override
        boolean f ( final List < String > y ) { return y != null && this . x >>> 2 >= 1.5f ? true : ! g ( y ) ; } }
    """,
    "a.py": """
        class A ( B ) : \"\"\"A_'string'.\"\"\" def f ( self , x : int = 0o7 , * rest ) -> "str" :
        return f"{x!r}é" + 'q' if x is not None else [ True , 1e5j , not self . y ]
    """,
    "a.c": """
        #define TWICE ( x ) ((x)_+_(x)) static unsigned int f ( const char * p , struct s * q ) { if ( p [ 0 ] == '\\n'
        ) goto out ; return sizeof ( int ) + TWICE ( q -> n ) + 10UL ; out : return printf ( "%s_𝔘" "b" , p ) , NULL ; }
    """,
    "a.kt": """
        fun f ( x : Int ) : String { val c = 'c' return if ( x > 1.5 ) "a" else g ( x , c ) }
    """,
}
LISTINGS = {
    name: (text, [token.replace("_", " ") for token in TOKENS[name].split()])
    for name, text in {"A.java": JAVA, "a.py": PYTHON, "a.c": C, "a.kt": KOTLIN}.items()
}

MORE = {
    "a.cpp": (
        """#include <vector>
using namespace std;
// comment
template <typename T> class A : public B<T> {
    virtual ~A() noexcept override { auto s = R"(raw "x")"; x = [&](int y) { return y <=> 1'000; }; }
    std::vector<T> f(T &&t) const { return {static_cast<T>(t), nullptr, L'c'}; } /* comment */
};
""",
        None,
    ),
    "a.js": (
        """import a, {b} from "c";
// comment
export class A extends B {
    #x = null;
    f(y, ...z) { return y?.w ?? `t ${y}` + /re[/]x/g.test('s') + 10n; } /* comment */
}
const g = async ({x, y: w}) => { for await (const q of x) yield_(undefined, w, q); };
""",
        None,
    ),
    "a.ts": (
        """import { a } from 'b';
/* comment */
interface A<T> extends B { readonly x: number; f?(y: string | null): void; }
enum E { One = 1, Two }
function g<T extends A<T>>(x: T, y = <any>x): x is T { return (x as unknown) !== y && !!y!; } // comment
""",
        None,
    ),
    "a.tsx": (
        """import a from 'b';
const A = (p: Props) => <div className="x" {...p}>some text {p.value} <B /></div>; // comment
""",
        None,
    ),
    "a.go": (
        """package main

import (
    "fmt"
    m "math"
)

// comment
type A struct { x, y int; z map[string]*B }

func (a *A) f(c chan<- int, s ...string) (n int, err error) {
    defer g(`raw`, 'c')
    for i := range s { select { case c <- i: n += 0x1F; default: return } } /* comment */
    return n, nil
}
""",
        None,
    ),
    "a.rs": (
        """extern crate a;
use std::{fmt, io::Read};
/// comment
#[derive(Debug)]
pub struct A<'a, T: B> { x: &'a str, y: Option<T> }
impl<'a, T> A<'a, T> where T: B {
    fn f(&mut self, n: u8) -> Result<i32, E> { /* comment */
        match self.x { "a" => Ok(1_u8 as i32), c if n > 2 => g('c', c)?, _ => panic!("no {}", n) } // comment
    }
}
""",
        None,
    ),
    "a.cs": (
        """using System;
using static System.Math;
#region comment
namespace A.B {
    // comment
    [Attr] public sealed class C<T> : D where T : new() {
        public int X { get; private set; } = 0x1F;
        async Task<string> F(object o, params char[] p) => o is string s ? $"a{s}" + @"b" : await G('c'); /* comment */
    }
}
#endregion
""",
        None,
    ),
    "a.rb": (
        """# comment
class A < B
  attr_accessor :x
  CONST = %w(a b)
  def f(y, k: 1, *r, &blk)
    @x ||= y.map { |v| v.z + 1.5 } unless y.nil?
    "s #{y}" =~ /re/ ? :sym : {a: 1, 'b' => $g, c: @@d}
  end
end
""",
        None,
    ),
    "a.php": (
        """<?php
use A\\B;
// comment
class C extends D {
    private ?int $x = 0x1F;
    public function f(array $y, &$z): string { # comment
        foreach ($y as $k => $v) { $this->x .= $v['a'] ?? self::G; } /* comment */
        return "s $z" . 'q' . h($k) . strlen(null);
    }
}
""",
        None,
    ),
    "a.swift": (
        """import Foundation
// comment
func f(x: Int, y: String?) -> Double { let z = y ?? "none"; return g(x, z) * 1.5 } /* comment */
""",
        None,
    ),
    "a.lua": (
        """-- comment
local function f(x, y) if x ~= nil then return y .. "s" else return g(x, 1.5) end end
""",
        None,
    ),
}
