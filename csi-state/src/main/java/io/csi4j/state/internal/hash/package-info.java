/**
 * A persistent hash trie: for indexes that are only ever asked for one exact key, where an ordered tree would spend
 * its time on comparing keys that begin alike.
 *
 * <pre>{@code
 * HashTrie<NodeId, Entry> index = HashTrie.empty(Entry::nodeId);
 * HashTrie<NodeId, Entry> more = index.put(edit, new Entry(nodeId)); // index is as it was
 * Entry found = more.get(nodeId);
 * }</pre>
 */
@NullMarked
package io.csi4j.state.internal.hash;

import org.jspecify.annotations.NullMarked;
