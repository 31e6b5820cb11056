/** Attempts of calls: their order on a volume, the delay between them, and volumes with an unknown outcome. Internal to csi4j. */
@NullMarked
package io.csi4j.client.internal.retry;

import org.jspecify.annotations.NullMarked;
