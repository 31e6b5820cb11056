/** Decides the next step for a volume: the planner, the mount table, and the paths of a node. Nothing here calls a plugin. */
@NullMarked
package io.csi4j.node.internal.mount;

import org.jspecify.annotations.NullMarked;
