@NullMarked
package io.csi4j.testkit.internal.serve;

import org.jspecify.annotations.NullMarked;
