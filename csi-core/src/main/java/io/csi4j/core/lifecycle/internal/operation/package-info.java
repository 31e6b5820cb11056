/** Operations of operators on plugins, and on what removed volumes have left. */
@NullMarked
package io.csi4j.core.lifecycle.internal.operation;

import org.jspecify.annotations.NullMarked;
