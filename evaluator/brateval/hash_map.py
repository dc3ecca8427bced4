"""`java.util.HashMap` of OpenJDK 8 to 17 over strings, as far as the order of its keys goes.

A bucket with nine and more keys of a table of 64 buckets and more is a red-black tree beside its list, ordered by hash and then
key; after every change the root comes first in the list. Only ids that were made to collide get there, and then the order in
which BRATEval visits annotations depends on it, also while it removes the ones it has matched.
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.brateval.red_black import Node, balance_insertion, delete, goes_left, hang, parent_for, root_of

_TREEIFY, _UNTREEIFY, _LEAST_TABLE_WITH_TREES = 8, 6, 64


class JavaHashMap:
    """The keys of a map, in the order in which Java would go over them."""

    def __init__(self) -> None:
        self._table: list[Node | None] = [None] * 16
        self._size = 0

    def __iter__(self) -> Iterator[str]:
        for first in self._table:
            node = first
            while node is not None:
                yield node.key
                node = node.next

    def put(self, key: str, hash_: int) -> None:
        """Add a key; `hash_` is its spread hash, unsigned. A key that is there stays where it is."""
        signed = hash_ - (1 << 32) if hash_ >> 31 else hash_
        node = Node(key, signed, key.encode("utf-16-be", "surrogatepass"))
        index = hash_ & (len(self._table) - 1)
        first = self._table[index]
        if first is None:
            self._table[index] = node
        elif first.tree:
            if not self._put_into_tree(first, node):
                return
        else:
            count, last = 1, first
            while last.key != key and last.next is not None:
                count, last = count + 1, last.next
            if last.key == key:
                return
            last.next = node
            if count >= _TREEIFY:
                self._make_tree(index)
        self._size += 1
        if self._size > len(self._table) * 3 // 4:
            self._resize()

    def remove(self, key: str, hash_: int) -> None:
        """Take a key out."""
        index = hash_ & (len(self._table) - 1)
        node, before = self._table[index], None
        while node is not None and node.key != key:
            node, before = node.next, node
        if node is None:
            return
        if node.tree:
            self._remove_from_tree(node, index)
        elif before is None:
            self._table[index] = node.next
        else:
            before.next = node.next
        self._size -= 1

    def _resize(self) -> None:
        old, size = self._table, len(self._table)
        self._table = [None] * (2 * size)
        for index, first in enumerate(old):
            halves: tuple[list[Node], list[Node]] = ([], [])
            node = first
            while node is not None:
                halves[(node.hash & size) != 0].append(node)
                node = node.next
            for half, place, other in ((halves[0], index, halves[1]), (halves[1], index + size, halves[0])):
                if half:
                    _chain(half)
                    self._table[place] = half[0]
                    if half[0].tree and len(half) <= _UNTREEIFY:
                        _plain(half[0])
                    elif half[0].tree and other:
                        self._grow_tree(place)

    def _make_tree(self, index: int) -> None:
        if len(self._table) < _LEAST_TABLE_WITH_TREES:
            self._resize()
            return
        node = self._table[index]
        nodes = []
        while node is not None:
            node.tree = True
            nodes.append(node)
            node = node.next
        _chain(nodes)
        self._grow_tree(index)

    def _grow_tree(self, index: int) -> None:
        """Build the tree of a bucket from its list, in the list's order."""
        root: Node | None = None
        node = self._table[index]
        while node is not None:
            node.left = node.right = node.parent = None
            if root is None:
                node.red, root = False, node
            else:
                parent = parent_for(root, node)
                hang(parent, node)
                root = balance_insertion(root, node)
            node = node.next
        self._root_first(root)

    def _put_into_tree(self, first: Node, node: Node) -> bool:
        root = root_of(first)
        at: Node | None = root
        while at is not None:
            if at.key == node.key:
                return False
            at = at.left if goes_left(node, at) else at.right
        parent = parent_for(root, node)
        hang(parent, node)
        node.tree, node.next, node.prev = True, parent.next, parent
        if parent.next is not None:
            parent.next.prev = node
        parent.next = node
        self._root_first(balance_insertion(root, node))
        return True

    def _root_first(self, root: Node | None) -> None:
        if root is None:
            return
        index = root.hash & (len(self._table) - 1)
        first = self._table[index]
        if first is root:
            return
        self._table[index] = root
        if root.next is not None:
            root.next.prev = root.prev
        if root.prev is not None:
            root.prev.next = root.next
        if first is not None:
            first.prev = root
        root.next, root.prev = first, None

    def _remove_from_tree(self, node: Node, index: int) -> None:
        first = self._table[index]
        if node.prev is None:
            self._table[index] = node.next
        else:
            node.prev.next = node.next
        if node.next is not None:
            node.next.prev = node.prev
        head = self._table[index]
        if head is None or first is None:
            return
        root = root_of(first)
        if root.right is None or root.left is None or root.left.left is None:
            _plain(head)
            return
        self._root_first(delete(root, node))


def _chain(nodes: list[Node]) -> None:
    for before, node in zip([None, *nodes], nodes, strict=False):
        node.prev, node.next = before, None
        if before is not None:
            before.next = node


def _plain(node: Node | None) -> None:
    """Turn the nodes of a list back into plain ones."""
    while node is not None:
        node.tree = node.red = False
        node.prev = node.parent = node.left = node.right = None
        node = node.next
