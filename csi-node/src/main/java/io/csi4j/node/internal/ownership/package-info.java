/** Gives the files of a mounted volume to a group, without following a link and without leaving the mount. */
@NullMarked
package io.csi4j.node.internal.ownership;

import org.jspecify.annotations.NullMarked;
