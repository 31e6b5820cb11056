/** Events for listeners, from the commands that the log applied. */
@NullMarked
package io.csi4j.core.lifecycle.internal.event;

import org.jspecify.annotations.NullMarked;
