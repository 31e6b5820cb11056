@NullMarked
package io.csi4j.testkit.cli;

import org.jspecify.annotations.NullMarked;
