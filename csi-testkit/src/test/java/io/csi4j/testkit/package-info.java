@NullMarked
package io.csi4j.testkit;

import org.jspecify.annotations.NullMarked;
