/**
 * An immutable hash trie for indexes that are queried by exact key only. It is faster than the ordered tree there, because it does
 * not compare keys with long common prefixes.
 *
 * <pre>{@code
 * HashTrie<NodeId, Entry> index = HashTrie.empty(Entry::nodeId);
 * HashTrie<NodeId, Entry> more = index.put(edit, new Entry(nodeId)); // index is unchanged
 * Entry found = more.get(nodeId);
 * }</pre>
 */
@NullMarked
package io.csi4j.state.internal.hash;

import org.jspecify.annotations.NullMarked;
