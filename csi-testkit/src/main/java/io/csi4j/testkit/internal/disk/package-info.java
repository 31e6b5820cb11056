/** Volumes as directories and images, with real mounts. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.disk;

import org.jspecify.annotations.NullMarked;
