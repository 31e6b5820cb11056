@NullMarked
package io.csi4j.testkit.conformance;

import org.jspecify.annotations.NullMarked;
