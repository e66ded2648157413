/* Robust winnowing of bytes: the plain C loop that the kernel of fpdb is measured against.
 *
 * Written from the definitions of Schleimer, Wilkerson, Aiken, "Winnowing" (SIGMOD 2003): the rolling hash of 2.2, the
 * circular buffer of figure 5, ties as in Definition 3. The formulas of the hash are those of fpdb/fingerprint/hashing.py.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define GOLDEN 0x9E3779B97F4A7C15u

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* Selects from the k-grams of length >= k + w - 1 symbols, all below 256. positions and hashes have room for one entry a
 * k-gram. Returns how many were selected, or -1 without memory. */
ptrdiff_t robust_winnow(const uint8_t *symbols, size_t length, size_t k, size_t w, uint64_t base, uint64_t spread,
                        uint64_t multiplier, uint32_t *positions, uint64_t *hashes)
{
    uint64_t incoming[256], outgoing[256], power = 1, rolling = 0;
    uint64_t *window = malloc(w * sizeof *window); /* window[r] is the hash of the latest k-gram */
    size_t r = 0, least = 0, count = 0;            /* window[least] is the selected one */
    if (!window)
        return -1;
    for (size_t i = 0; i < k; i++)
        power *= base;
    for (size_t c = 0; c < 256; c++) {
        incoming[c] = mix(spread + c * GOLDEN) * base;
        outgoing[c] = incoming[c] * power;
    }
    for (size_t i = 0; i < w; i++)
        window[i] = UINT64_MAX;
    for (size_t i = 0; i + 1 < k; i++)
        rolling = rolling * base + incoming[symbols[i]];
    for (size_t gram = 0; gram + k <= length; gram++) {
        uint64_t hash;
        uint64_t change = incoming[symbols[gram + k - 1]];
        if (gram)
            change -= outgoing[symbols[gram - 1]];
        rolling = rolling * base + change;
        hash = (rolling ^ (rolling >> 32)) * multiplier;
        hash ^= hash >> 32;

        if (++r == w)
            r = 0;
        window[r] = hash;
        if (gram + 1 < w)
            continue; /* the first window is not full yet */
        if (gram + 1 == w || least == r) {
            /* No selected k-gram is in the window: its rightmost minimum, scanning left from r. */
            least = r;
            for (size_t i = r; i-- > 0;)
                if (window[i] < window[least])
                    least = i;
            for (size_t i = w; i-- > r + 1;)
                if (window[i] < window[least])
                    least = i;
        } else if (hash < window[least]) {
            least = r;
        } else {
            continue; /* ties stay with the k-gram that the window to the left selected */
        }
        positions[count] = (uint32_t)(gram - (r + w - least) % w);
        hashes[count++] = window[least];
    }
    free(window);
    return (ptrdiff_t)count;
}

/* The same from ASCII text: letters and digits, lower-cased, are the symbols; each selected hash is mixed once more, as
 * fpdb stores it. symbols has room for one entry a character. */
ptrdiff_t fold_and_winnow(const uint8_t *text, size_t length, size_t k, size_t w, uint64_t base, uint64_t spread,
                          uint64_t multiplier, uint64_t store, uint8_t *symbols, uint32_t *positions, uint64_t *hashes)
{
    uint8_t fold[256] = {0}; /* 0: no symbol */
    size_t folded = 0;
    ptrdiff_t count;
    for (unsigned c = '0'; c <= '9'; c++)
        fold[c] = (uint8_t)c;
    for (unsigned c = 'a'; c <= 'z'; c++)
        fold[c] = fold[c - 'a' + 'A'] = (uint8_t)c;
    fold['l'] = fold['L'] = fold['1'] = 'i'; /* what looks alike is alike: version 2 of the readers */
    fold['0'] = 'o';
    for (size_t i = 0; i < length; i++) {
        symbols[folded] = fold[text[i]]; /* overwritten by the next one where it is none */
        folded += symbols[folded] != 0;
    }
    if (folded < k + w - 1)
        return 0;
    count = robust_winnow(symbols, folded, k, w, base, spread, multiplier, positions, hashes);
    for (ptrdiff_t i = 0; i < count; i++)
        hashes[i] = mix(hashes[i] + store);
    return count;
}
