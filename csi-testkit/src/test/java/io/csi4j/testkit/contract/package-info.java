@NullMarked
package io.csi4j.testkit.contract;

import org.jspecify.annotations.NullMarked;
