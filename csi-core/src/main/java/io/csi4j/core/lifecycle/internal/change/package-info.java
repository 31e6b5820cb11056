/** Changes of volumes that a caller requests: the intent is stored, a worker fulfils it, and the caller waits. */
@NullMarked
package io.csi4j.core.lifecycle.internal.change;

import org.jspecify.annotations.NullMarked;
