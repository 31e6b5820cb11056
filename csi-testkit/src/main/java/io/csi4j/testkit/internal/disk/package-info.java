/** Volumes as directories and images, and real mounts of them. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.disk;

import org.jspecify.annotations.NullMarked;
