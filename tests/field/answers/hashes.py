"""Hashes, against Python's hashlib and the definitions of Keccak and BLAKE3."""

import hashlib

import numpy as np

from assay.metal import unset

from .case import case

ZK, HASH = "carni-ships/zkMetal", "Sources/Shaders/hash/"
WORD = 2**32 - 1


def messages(r, count, length):
    return r.integers(0, 256, (count, length)).astype(np.uint8)


def digests(rows, digest):
    return np.array([np.frombuffer(digest(row.tobytes()), np.uint8) for row in rows])


def sha256(data):
    return hashlib.sha256(data).digest()


def rotated(word, by):
    return (word << by | word >> (64 - by)) & (2**64 - 1) if by else word


def keccak_f(lanes):
    """Keccak-f[1600] of 25 lanes, lane x + 5 y: FIPS 202, section 3."""
    lfsr = 1
    for _ in range(24):
        parity = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        lanes = [lanes[n] ^ parity[(n + 4) % 5] ^ rotated(parity[(n + 1) % 5], 1) for n in range(25)]
        x, y, moved = 1, 0, lanes[1]
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            moved, lanes[x + 5 * y] = lanes[x + 5 * y], rotated(moved, (t + 1) * (t + 2) // 2 % 64)
        rows = [lanes[5 * y : 5 * y + 5] for y in range(5)]
        lanes = [row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]) & (2**64 - 1) for row in rows for x in range(5)]
        for j in range(7):
            lfsr = (lfsr << 1) ^ ((lfsr >> 7) * 0x171)
            if lfsr & 2:
                lanes[0] ^= 1 << ((1 << j) - 1)
    return lanes


def keccak256(data):
    """Of at most 135 bytes, with the padding of before FIPS 202."""
    block = bytearray(200)
    block[: len(data)] = data
    block[len(data)] ^= 1
    block[135] ^= 0x80
    return np.array(keccak_f([int(word) for word in np.frombuffer(block, np.uint64)]), np.uint64).tobytes()[:32]


def blake3(block, flags):
    """One compression of 64 bytes from the initial value."""
    rows = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)]
    diagonals = [(0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]
    start = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
    state, words = start + start[:4] + [0, 0, 64, flags], [int(word) for word in np.frombuffer(block, np.uint32)]
    for _ in range(7):
        for n, (a, b, c, d) in enumerate(rows + diagonals):
            for word, (left, right) in zip(words[2 * n : 2 * n + 2], ((16, 12), (8, 7))):
                state[a] = (state[a] + state[b] + word) & WORD
                state[d] = ((state[d] ^ state[a]) >> left | (state[d] ^ state[a]) << (32 - left)) & WORD
                state[c] = (state[c] + state[d]) & WORD
                state[b] = ((state[b] ^ state[c]) >> right | (state[b] ^ state[c]) << (32 - right)) & WORD
        words = [words[n] for n in (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)]
    return np.array([state[n] ^ state[n + 8] for n in range(8)], np.uint32).tobytes()


def batch(file, kernel, length, digest):
    @case(ZK, HASH + file, kernel)
    def _(library, r):
        rows = messages(r, 5, length)
        return [(library[kernel](rows, unset((5, 32), "uint8"), 5, grid=8), digests(rows, digest), 0)]


batch("sha256.metal", "sha256_hash_batch", 64, sha256)
batch("sha256.metal", "sha256_hash_pairs", 64, sha256)
batch("keccak256.metal", "keccak256_hash_64", 64, keccak256)
batch("keccak256.metal", "keccak256_hash_128", 128, keccak256)
batch("keccak256.metal", "keccak256_hash_32", 32, keccak256)
batch("blake3.metal", "blake3_hash_64", 64, lambda data: blake3(data, 1 | 2 | 8))
batch("blake3.metal", "blake3_hash_32", 64, lambda data: blake3(data, 4))


def tree(leaves, digest):
    while len(leaves) > 1:
        leaves = digests(leaves.reshape(-1, 64), digest)
    return leaves[0]


def merkle(file, kernel, digest):
    """A thread writes the parent over a node that its neighbour may not have read yet."""

    @case(ZK, HASH + file, kernel, fault="racecheck")
    def _(library, r):
        leaves = messages(r, 2048, 32)
        got = library[kernel](leaves, unset((2, 32), "uint8"), 10, grid=1024, group=512)
        return [(got, [tree(leaves[:1024], digest), tree(leaves[1024:], digest)], 0)]


merkle("sha256.metal", "sha256_merkle_fused", sha256)
merkle("blake3.metal", "blake3_merkle_fused", lambda data: blake3(data, 4))


@case("anttisalonen/btcswift", "kernels.metal", "sha256_double")
def _(library, r):
    message = bytearray(messages(r, 1, 55).tobytes())
    message[12:16] = (1000).to_bytes(4, "little")  # the first number that the kernel tries
    block = np.frombuffer(bytes(message) + b"\x80" + (440).to_bytes(8, "big"), np.uint8).copy()
    start = np.array([0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19], np.uint32)
    target, first = np.full(32, 255, np.uint8), np.array([1000], np.uint32)
    digest, nonce = library.sha256_double(block, start, first, target, unset(32, "uint8"), unset(1, "uint32"), grid=1)
    return [(digest, np.frombuffer(sha256(sha256(bytes(message))), np.uint8), 0), (nonce, first, 0)]
