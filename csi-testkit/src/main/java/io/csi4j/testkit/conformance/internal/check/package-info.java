@NullMarked
package io.csi4j.testkit.conformance.internal.check;

import org.jspecify.annotations.NullMarked;
