"""The red-black tree in a bucket of `java.util.HashMap`: insertion and deletion exactly as OpenJDK does them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Node:
    """A key in a bucket. `tree` nodes also have a place in the tree."""

    key: str
    hash: int
    order: bytes
    next: Node | None = None
    prev: Node | None = None
    parent: Node | None = None
    left: Node | None = None
    right: Node | None = None
    red: bool = False
    tree: bool = False


def root_of(node: Node) -> Node:
    """The root of the tree a node is in."""
    while node.parent is not None:
        node = node.parent
    return node


def goes_left(node: Node, at: Node) -> bool:
    """Whether a node belongs on the left of another: by signed hash, then by UTF-16 code units."""
    return (node.hash, node.order) <= (at.hash, at.order)


def parent_for(root: Node, node: Node) -> Node:
    """The node below which a new one will hang."""
    at: Node | None = root
    parent = root
    while at is not None:
        parent, at = at, at.left if goes_left(node, at) else at.right
    return parent


def hang(parent: Node, node: Node) -> None:
    """Hang a node below its parent, on its side."""
    node.parent = parent
    if goes_left(node, parent):
        parent.left = node
    else:
        parent.right = node


def _child(node: Node, *, right: bool) -> Node | None:
    return node.right if right else node.left


def _set_child(node: Node, child: Node | None, *, right: bool) -> None:
    if right:
        node.right = child
    else:
        node.left = child


def _rotate(root: Node, node: Node, *, right: bool) -> Node:
    """Rotate a node to a side; the other child takes its place."""
    up = _child(node, right=not right)
    if up is None:
        return root
    inner = _child(up, right=right)
    _set_child(node, inner, right=not right)
    if inner is not None:
        inner.parent = node
    up.parent = node.parent
    if node.parent is None:
        root = up
        up.red = False
    else:
        _set_child(node.parent, up, right=node.parent.right is node)
    _set_child(up, node, right=right)
    node.parent = up
    return root


def balance_insertion(root: Node, node: Node) -> Node:
    """Restore the balance after a node was hung into the tree; returns the root."""
    node.red = True
    while True:
        parent = node.parent
        if parent is None:
            node.red = False
            return node
        grandparent = parent.parent
        if not parent.red or grandparent is None:
            return root
        on_right = grandparent.right is parent
        uncle = _child(grandparent, right=not on_right)
        if uncle is not None and uncle.red:
            uncle.red = parent.red = False
            grandparent.red = True
            node = grandparent
            continue
        if node is _child(parent, right=not on_right):
            node = parent
            root = _rotate(root, node, right=on_right)
            parent = node.parent
            grandparent = parent.parent if parent is not None else None
        if parent is not None:
            parent.red = False
            if grandparent is not None:
                grandparent.red = True
                root = _rotate(root, grandparent, right=not on_right)


def delete(root: Node, node: Node) -> Node:
    """Take a node out of the tree (not out of the list); returns the root."""
    if node.left is not None and node.right is not None:
        root = _swap_with_successor(root, node)
    replacement = node.left or node.right or node
    if replacement is not node:
        replacement.parent = node.parent
        if node.parent is None:
            root = replacement
            replacement.red = False
        else:
            _set_child(node.parent, replacement, right=node.parent.right is node)
        node.left = node.right = node.parent = None
    found = root if node.red else _balance_deletion(root, replacement)
    if replacement is node and node.parent is not None:
        _set_child(node.parent, None, right=node.parent.right is node)
        node.parent = None
    return found


def _swap_with_successor(root: Node, node: Node) -> Node:
    """Exchange the places of a node with two children and the next one in order; returns the root."""
    right = node.right
    if right is None:
        raise RuntimeError("BUG: a node without a right child")
    heir = right
    while heir.left is not None:
        heir = heir.left
    heir.red, node.red = node.red, heir.red
    heir_right, parent = heir.right, node.parent
    if heir is right:
        node.parent, heir.right = heir, node
    else:
        above = heir.parent
        node.parent = above
        if above is not None:
            _set_child(above, node, right=above.right is heir)
        heir.right, right.parent = right, heir
    heir.left, node.left = node.left, None
    if heir.left is not None:
        heir.left.parent = heir
    node.right = heir_right
    if heir_right is not None:
        heir_right.parent = node
    heir.parent = parent
    if parent is None:
        return heir
    _set_child(parent, heir, right=parent.right is node)
    return root


def _balance_deletion(root: Node, node: Node) -> Node:
    while node is not root:
        parent = node.parent
        if parent is None:
            node.red = False
            return node
        if node.red:
            node.red = False
            return root
        on_right = parent.left is not node
        sibling = _child(parent, right=not on_right)
        if sibling is not None and sibling.red:
            sibling.red, parent.red = False, True
            root = _rotate(root, parent, right=on_right)
            parent = node.parent
            sibling = _child(parent, right=not on_right) if parent is not None else None
        if sibling is None or parent is None:
            node = parent if parent is not None else root
            continue
        near, far = _child(sibling, right=on_right), _child(sibling, right=not on_right)
        if (far is None or not far.red) and (near is None or not near.red):
            sibling.red = True
            node = parent
            continue
        root = _mend(root, parent, sibling, on_right=on_right)
        node = root
    return root


def _mend(root: Node, parent: Node, sibling: Node, *, on_right: bool) -> Node:
    """The last step of a deletion: a black sibling with a red child."""
    near, far = _child(sibling, right=on_right), _child(sibling, right=not on_right)
    if far is None or not far.red:
        if near is not None:
            near.red = False
        sibling.red = True
        root = _rotate(root, sibling, right=not on_right)
        moved = _child(parent, right=not on_right)
        if moved is None:
            raise RuntimeError("BUG: a rotation without effect")
        sibling = moved
    sibling.red = parent.red
    far = _child(sibling, right=not on_right)
    if far is not None:
        far.red = False
    parent.red = False
    return _rotate(root, parent, right=on_right)
