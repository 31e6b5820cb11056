/**
 * What the host tells about its cluster: nodes and allocations. The host feeds them in as commands;
 * csi4j never guesses them.
 *
 * <pre>{@code
 * if (node.status().lost()) {
 *     // nothing on it can reach storage: the node's part of a release is done
 * }
 * }</pre>
 */
@NullMarked
package io.csi4j.core.cluster;

import org.jspecify.annotations.NullMarked;
