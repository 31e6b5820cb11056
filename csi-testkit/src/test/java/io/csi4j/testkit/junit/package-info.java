@NullMarked
package io.csi4j.testkit.junit;

import org.jspecify.annotations.NullMarked;
