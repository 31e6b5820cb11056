/**
 * The queues in which calls about one volume wait, the backoffs between attempts, and the volumes that a call with an unknown outcome
 * blocks. Internal to csi4j.
 */
@NullMarked
package io.csi4j.client.internal.retry;

import org.jspecify.annotations.NullMarked;
