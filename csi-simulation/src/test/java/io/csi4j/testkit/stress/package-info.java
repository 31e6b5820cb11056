@NullMarked
package io.csi4j.testkit.stress;

import org.jspecify.annotations.NullMarked;
