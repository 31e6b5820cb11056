@NullMarked
package io.csi4j.testkit.conformance.internal;

import org.jspecify.annotations.NullMarked;
