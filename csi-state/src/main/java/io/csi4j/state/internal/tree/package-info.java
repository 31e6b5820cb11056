/**
 * An ordered tree that keeps its old versions: every change makes a new tree and shares all it did
 * not touch. Internal to csi-state.
 *
 * <p>Entry point is {@link io.csi4j.state.internal.tree.Tree}. Rows live in the leaves and know their own
 * key; a {@link io.csi4j.state.internal.tree.KeyOrder} says how keys sort. One transaction passes one
 * edit number to all its changes, so that it copies each node at most once.
 */
@NullMarked
package io.csi4j.state.internal.tree;

import org.jspecify.annotations.NullMarked;
