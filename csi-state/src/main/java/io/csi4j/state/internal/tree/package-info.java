/**
 * An immutable ordered tree: every change creates a new tree that shares all unchanged nodes. Internal to csi-state.
 *
 * <p>Start with {@link io.csi4j.state.internal.tree.Tree}. The leaves contain the rows, and each row contains its key; a {@link
 * io.csi4j.state.internal.tree.KeyOrder} defines the order. A transaction passes one edit number to all its changes, so that it copies each
 * node at most once.
 */
@NullMarked
package io.csi4j.state.internal.tree;

import org.jspecify.annotations.NullMarked;
