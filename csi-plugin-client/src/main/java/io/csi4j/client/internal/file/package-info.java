/** Small files that survive a crash: the records of a node's volumes and its list of plugins. Internal to csi4j. */
@NullMarked
package io.csi4j.client.internal.file;

import org.jspecify.annotations.NullMarked;
