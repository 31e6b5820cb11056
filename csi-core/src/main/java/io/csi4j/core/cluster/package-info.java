/**
 * The nodes and allocations of the host's cluster. The host reports them as commands.
 *
 * <pre>{@code
 * if (node.status().lost()) {
 *     // The node cannot reach storage, so a release needs no call to the node.
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.cluster;

import org.jspecify.annotations.NullMarked;
