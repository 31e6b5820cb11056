/** Parts of calls to plugins. Internal to csi4j. */
@NullMarked
package io.csi4j.client.internal.call;

import org.jspecify.annotations.NullMarked;
