// SPDX-License-Identifier: MIT
(function () {
'use strict';
})();
