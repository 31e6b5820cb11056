/** Reports events to listeners, derived from the commands that the log has applied. */
@NullMarked
package io.csi4j.core.lifecycle.internal.event;

import org.jspecify.annotations.NullMarked;
