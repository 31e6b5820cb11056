@NullMarked
package io.csi4j.testkit.internal.disk;

import org.jspecify.annotations.NullMarked;
