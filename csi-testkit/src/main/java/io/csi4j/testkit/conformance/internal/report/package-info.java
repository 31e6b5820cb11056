@NullMarked
package io.csi4j.testkit.conformance.internal.report;

import org.jspecify.annotations.NullMarked;
