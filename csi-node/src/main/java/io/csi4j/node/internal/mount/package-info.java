/** The next step for a volume: the plan, the mount table and the paths that it reads. Nothing here calls a plugin. */
@NullMarked
package io.csi4j.node.internal.mount;

import org.jspecify.annotations.NullMarked;
