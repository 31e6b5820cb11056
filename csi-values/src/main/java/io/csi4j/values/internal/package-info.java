/** The values that stored rows, commands, messages of agents and of CSI, and files of nodes have in common. Internal to csi4j. */
@NullMarked
package io.csi4j.values.internal;

import org.jspecify.annotations.NullMarked;
